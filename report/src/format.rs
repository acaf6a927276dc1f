//! The list of formats: a report format is its file, with a `FORMAT`, and a line here.

use crate::clean;
use crate::rendering::Rendering;
use crate::report::Report;
use crate::style::Style;
use clap::ValueEnum;
use clap::builder::PossibleValue;

/// `Name: module`, in the order in which the command line lists them.
macro_rules! formats {
    ($($name:ident: $module:ident),* $(,)?) => {
        /// The format of a report.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $($name),*
        }

        impl Format {
            const ALL: &[Format] = &[$(Format::$name),*];

            fn rendering(self) -> &'static Rendering {
                match self {
                    $(Format::$name => &crate::$module::FORMAT),*
                }
            }
        }
    };
}

formats! {
    Text: text,
    Json: json,
    Dot: graph,
    Sarif: sarif,
    Junit: junit,
    Github: github,
    Markdown: markdown,
    Protocol: protocol,
    Html: html,
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Format] {
        Format::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let Rendering { name, help, .. } = self.rendering();
        let value = PossibleValue::new(*name);
        Some(match help {
            Some(help) => value.help(*help),
            None => value,
        })
    }
}

impl Format {
    /// The word of the command line.
    pub fn name(self) -> &'static str {
        self.rendering().name
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        self.rendering().extension
    }

    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|f| f.extension().eq_ignore_ascii_case(extension))
    }

    /// Does it show tables of more than findings?
    pub fn needs_protocol(self) -> bool {
        self.rendering().needs.protocol
    }

    /// Does it show statistics of the run?
    pub fn needs_statistics(self) -> bool {
        self.rendering().needs.statistics
    }

    /// Does it show the time line of the run?
    pub fn shows_timeline(self) -> bool {
        self.rendering().needs.timeline
    }

    /// The content of a file if there is no report: that there is none, and why, in the form that its readers expect.
    pub fn failure(self, why: &str) -> String {
        (self.rendering().failure)(&clean::lines(why))
    }
}

impl Report {
    /// The report in `format`; only text has a style.
    pub fn render(&self, format: Format, style: impl Into<Style>) -> String {
        (format.rendering().render)(self, style.into())
    }

    /// The report as text for people.
    pub fn to_text(&self, style: impl Into<Style>) -> String {
        self.render(Format::Text, style)
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        self.render(Format::Json, Style::of_file(false))
    }
}
