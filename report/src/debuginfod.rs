//! Debug information from servers (debuginfod): asked for by the client of elfutils, which knows the protocol, keeps
//! what it got, and says by its exit code whether there is some.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The variable with the servers, separated by blanks. Without it no server is asked.
const SERVERS: &str = "DEBUGINFOD_URLS";
/// The variable with the number of seconds in which a server must have sent something.
const TIMEOUT: &str = "DEBUGINFOD_TIMEOUT";
/// The client's own is 90 s: too long for a report.
const SECONDS: &str = "10";
/// A server that takes longer to answer that it has nothing counts as down, and is not asked again.
const PATIENCE: Duration = Duration::from_secs(9);

/// The servers that the user names.
pub(crate) struct Server {
    is_there: Cell<bool>,
}

impl Server {
    /// `None`: the environment names none.
    pub(crate) fn of_environment() -> Option<Server> {
        let named = std::env::var_os(SERVERS).is_some_and(|urls| !urls.to_string_lossy().trim().is_empty());
        named.then(|| Server { is_there: Cell::new(true) })
    }

    /// A file of this machine with the debug information of this build-id.
    pub(crate) fn find(&self, build_id: &[u8]) -> Option<PathBuf> {
        if !self.is_there.get() {
            return None;
        }
        let id = build_id.iter().fold(String::new(), |mut text, byte| {
            _ = write!(text, "{byte:02x}");
            text
        });
        let mut command = Command::new("debuginfod-find");
        command.args(["debuginfo", &id]).stdin(Stdio::null()).stderr(Stdio::null());
        // The client must not load the libraries that are preloaded here.
        command.env_remove("LD_PRELOAD");
        if std::env::var_os(TIMEOUT).is_none() {
            command.env(TIMEOUT, SECONDS);
        }
        let start = Instant::now();
        let Ok(found) = command.output() else {
            eprintln!("mpivet: {SERVERS} is set, but debuginfod-find (elfutils) is not there: no server is asked");
            self.is_there.set(false);
            return None;
        };
        if found.status.success() {
            return Some(PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()));
        }
        self.is_there.set(start.elapsed() < PATIENCE);
        None
    }
}
