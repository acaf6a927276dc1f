//! A command on a terminal of its own, and what is typed there.

use anyhow::{Context as _, Result};
use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

/// The character that the terminal turns into SIGINT.
pub const CTRL_C: &[u8] = b"\x03";

/// A process that leads a session with a terminal.
pub struct OnTerminal {
    child: Child,
    terminal: File,
    reader: JoinHandle<Vec<u8>>,
}

impl OnTerminal {
    /// Starts `command`; its arguments and environment are kept, its standard streams are the terminal.
    pub fn start(command: &Command) -> Result<OnTerminal> {
        OnTerminal::start_in(command, None)
    }

    /// Starts it on a terminal of so many columns. Terminals without a number say that they have none.
    pub fn start_in(command: &Command, columns: Option<u16>) -> Result<OnTerminal> {
        let size = columns.map(|ws_col| Winsize { ws_row: 50, ws_col, ws_xpixel: 0, ws_ypixel: 0 });
        let pair = openpty(&size, None).context("no terminal")?;
        let stream = || -> Result<Stdio> { Ok(pair.slave.try_clone()?.into()) };
        // The child leads no process group, so that setsid(1) becomes the command instead of starting it.
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => leader.env(name, value),
                None => leader.env_remove(name),
            };
        }
        let child = leader.stdin(stream()?).stdout(stream()?).stderr(stream()?).spawn().context("setsid")?;
        // The streams that `leader` holds keep the terminal open.
        drop((leader, pair.slave));
        let terminal = File::from(pair.master);
        let mut output = terminal.try_clone()?;
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            // Ends with an error when nobody has the terminal any more.
            _ = output.read_to_end(&mut all);
            all
        });
        Ok(OnTerminal { child, terminal, reader })
    }

    pub fn type_in(&mut self, keys: &[u8]) -> Result<()> {
        self.terminal.write_all(keys).context("cannot type")
    }

    /// The end of the process, and all that was on the terminal.
    pub fn wait(mut self) -> Result<(ExitStatus, String)> {
        let status = self.child.wait()?;
        let output = self.reader.join().unwrap_or_default();
        Ok((status, String::from_utf8_lossy(&output).into_owned()))
    }
}
