//! Facts of the formats: names, extensions, and their text where there is no report.

use super::{Format, Report, clean, github, graph, html, json, junit, markdown, protocol, sarif};
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

    /// The content of a file if there is no report: that there is none, and why, in the form that its readers expect.
    pub fn failure(self, why: &str) -> String {
        let why = &*clean::lines(why);
        match self {
            Format::Text => format!("mpivet: no report: {why}\n"),
            Format::Json => json::render(&Report::failed(why)),
            Format::Html => html::render(&Report::failed(why)),
            Format::Dot => graph::failure(why),
            Format::Sarif => sarif::failure(why),
            Format::Junit => junit::failure(why),
            Format::Github => github::failure(why),
            Format::Markdown => markdown::failure(why),
            Format::Protocol => protocol::failure(why),
        }
    }
}
