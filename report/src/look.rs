//! How a text report looks: colours, width, how much of it.

use console::Term;
use std::io::IsTerminal;
use trace_format::columns::LEAST_COLUMNS;

/// Colours of the text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// When there are colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set; elsewhere if CLICOLOR_FORCE is set
    #[default]
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Colours are for terminals, and only for people who want them (<https://no-color.org>, <https://bixense.com/clicolors>).
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

/// How a text report looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub colour: Colour,
    /// Columns of the terminal; `None`: lines are as long as they are.
    pub width: Option<usize>,
    /// Everything, however long it gets.
    pub full: bool,
}

impl From<Colour> for Look {
    fn from(colour: Colour) -> Look {
        Look { colour, width: None, full: false }
    }
}

impl Look {
    /// On standard output.
    pub fn of_stdout(when: When, full: bool) -> Look {
        Look { colour: Colour::on(&std::io::stdout(), when), width: width(&Term::stdout()), full }
    }

    /// On standard error.
    pub fn of_stderr(when: When, full: bool) -> Look {
        Look { colour: Colour::on(&std::io::stderr(), when), width: width(&Term::stderr()), full }
    }

    /// In a file.
    pub fn of_file(full: bool) -> Look {
        Look { full, ..Look::from(Colour::Plain) }
    }
}

fn width(terminal: &Term) -> Option<usize> {
    let (_, columns) = terminal.size_checked().filter(|_| terminal.is_term())?;
    Some(columns as usize).filter(|width| *width >= LEAST_COLUMNS)
}
