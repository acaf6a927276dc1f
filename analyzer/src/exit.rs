//! How a command ends: its exit code, what keeps it from its work, and what it prints.

use report::clean_text;
use std::io::Write as _;
use std::process::ExitCode;

/// No finding counts.
pub(crate) const CLEAN: u8 = 0;
/// There are findings at or above `--fail-on`.
pub(crate) const FINDINGS: u8 = 1;
const WRONG_USE: u8 = 2;
/// The work could not be done, or the trace is incomplete.
pub(crate) const CANNOT: u8 = 3;

/// The user has ended it by this signal.
pub(crate) fn of_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(CANNOT)
}

/// The reason why the command ends before its work was done.
#[derive(Debug)]
pub(crate) enum Exit {
    /// A message of clap: a wrong option, but also `--help`.
    Clap(clap::Error),
    /// Wrong use: exit code 2.
    Usage(String),
    /// The work could not be done: exit code 3.
    Cannot(anyhow::Error),
}

impl Exit {
    pub(crate) fn cannot(error: impl Into<anyhow::Error>) -> Exit {
        Exit::Cannot(error.into())
    }

    /// Says why, once, and gives the exit code.
    pub(crate) fn end(self) -> ExitCode {
        let code = match &self {
            Exit::Clap(e) => {
                // A closed pipe behind --help does no harm.
                _ = e.print();
                return ExitCode::from(if e.use_stderr() { WRONG_USE } else { CLEAN });
            }
            Exit::Usage(_) => WRONG_USE,
            Exit::Cannot(_) => CANNOT,
        };
        eprintln!("mpivet: {}", clean_text(&self.text()));
        ExitCode::from(code)
    }

    /// The reason in one line.
    pub(crate) fn text(&self) -> String {
        match self {
            Exit::Clap(e) => e.to_string(),
            Exit::Usage(why) => why.clone(),
            Exit::Cannot(e) => format!("{e:#}"),
        }
    }
}

/// Writes `text` to standard output. A reader that has gone away (`mpivet print | head`) is no error.
pub(crate) fn put(text: &str) -> Result<(), Exit> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Exit::cannot(anyhow::anyhow!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
