//! What is known of formats apart from how they look: names, extensions, and what they say where there is no report.

use super::{Format, clean, github, junit, sarif};
use clap::ValueEnum as _;

impl Format {
    /// The word of the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The extension of its files; that of most is their name.
    pub fn extension(self) -> String {
        match self {
            Format::Text => "txt".into(),
            Format::Junit => "xml".into(),
            Format::Markdown => "md".into(),
            other => other.name(),
        }
    }

    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Format> {
        Format::value_variants().iter().copied().find(|f| f.extension().eq_ignore_ascii_case(extension))
    }

    /// What a file holds if there is no report; nothing in formats that have no words for it.
    pub fn failure(self, why: &str) -> Option<String> {
        let why = &*clean::lines(why);
        match self {
            Format::Sarif => Some(sarif::failure(why)),
            Format::Junit => Some(junit::failure(why)),
            Format::Github => Some(github::failure(why)),
            _ => None,
        }
    }
}
