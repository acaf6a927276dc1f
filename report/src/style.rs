//! The style of a text report: colours, width, length.

use console::Term;
use std::io::IsTerminal;
use trace_format::settings::columns::LEAST_COLUMNS;

/// Colours of the text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// The condition for colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set; elsewhere if CLICOLOR_FORCE is set
    #[default]
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Colours are for terminals, and only for people who want them (<https://no-color.org>,
    /// <https://bixense.com/clicolors>).
    pub fn on(stream: &impl IsTerminal, when: When) -> Colour {
        let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
        let forced = variable("CLICOLOR_FORCE").is_some_and(|v| v != "0");
        let can = stream.is_terminal() && variable("TERM").is_none_or(|t| t != "dumb");
        let wanted = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => variable("NO_COLOR").is_none() && (forced || can),
        };
        if wanted { Colour::Ansi } else { Colour::Plain }
    }
}

/// The style of a text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub colour: Colour,
    /// Columns of the terminal; `None`: lines are not broken.
    pub width: Option<usize>,
    /// Everything, however long it gets.
    pub full: bool,
}

impl From<Colour> for Style {
    fn from(colour: Colour) -> Style {
        Style { colour, width: None, full: false }
    }
}

impl Style {
    /// On standard output.
    pub fn of_stdout(when: When, full: bool) -> Style {
        Style { colour: Colour::on(&std::io::stdout(), when), width: width(&Term::stdout()), full }
    }

    /// On standard error.
    pub fn of_stderr(when: When, full: bool) -> Style {
        Style { colour: Colour::on(&std::io::stderr(), when), width: width(&Term::stderr()), full }
    }

    /// The style of a file.
    pub fn of_file(full: bool) -> Style {
        Style { full, ..Style::from(Colour::Plain) }
    }
}

fn width(terminal: &Term) -> Option<usize> {
    let (_, columns) = terminal.size_checked().filter(|_| terminal.is_term())?;
    Some(columns as usize).filter(|width| *width >= LEAST_COLUMNS)
}
