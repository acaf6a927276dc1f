//! How the processes of a job know where `mpivet run` listens for agents of their nodes (crate `agents`): by the environment.

use super::proc;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Environment variable: where it listens, as `ADDRESS:PORT`, separated by commas. Without it there are no agents.
pub const HUB: &str = "MPIVET_HUB";

/// Environment variable: the secret of the run, 64 digits.
pub const TOKEN: &str = "MPIVET_TOKEN";

/// Environment variable: the program that is an agent if its argument is [`COMMAND`].
pub const PROGRAM: &str = "MPIVET_AGENT";

/// Environment variable of an agent: the process that has started it, as `PID.START`.
pub const FIRST: &str = "MPIVET_AGENT_OF";

/// Environment variable of an agent that no rank has started: for how long the job runs, in milliseconds.
pub const AGE: &str = "MPIVET_AGENT_AGE";

/// The argument of an agent.
pub const COMMAND: &str = "agent";

/// The descriptor at which an agent finds the socket that makes it the only one of its node.
pub const LOCK_DESCRIPTOR: i32 = 3;

/// Environment variable: the directory of the traces.
pub const DIRECTORY: &str = "MPIVET_DIR";

/// Environment variable, if it is set: `mpivet run` sees late what nodes store to mapped files in the directory of the traces.
pub const IS_LATE: &str = "MPIVET_LATE";

/// Environment variable: most megabytes that an agent sends in a second, as long as ranks go on.
pub const BANDWIDTH: &str = "MPIVET_AGENT_BANDWIDTH";
/// Without that: of 30 such nodes one host can read all (3 to 6 bytes a call, 30 to 45 million calls a second).
pub const DEFAULT_BANDWIDTH: u64 = 8;

/// Variables of a rank that its agent needs.
pub const NEEDED: [&str; 8] =
    [HUB, TOKEN, BANDWIDTH, DIRECTORY, IS_LATE, super::nonce::NONCE, super::jobs::EACH, super::stages::STAGE_DIR];

/// Where `mpivet run` listens, in the directory of the traces, for who else may read that: `hub.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrance {
    /// As [`HUB`].
    pub hub: String,
    /// As [`TOKEN`].
    pub token: String,
}

impl Entrance {
    fn path(dir: &Path) -> PathBuf {
        dir.join("hub.json")
    }

    /// `None`: nobody listens.
    pub fn read(dir: &Path) -> Option<Entrance> {
        serde_json::from_slice(&crate::untrusted::read(&Entrance::path(dir), MAX_ENTRANCE).ok()?).ok()
    }

    /// Writes it, for its owner alone.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        crate::owner_only::write_json(&Entrance::path(dir), self)
    }

    /// Nobody listens any more.
    pub fn forget(dir: &Path) {
        _ = std::fs::remove_file(Entrance::path(dir));
    }
}

/// No such file is larger.
const MAX_ENTRANCE: u64 = 1 << 16;

/// The name of the socket by which the processes of a node find their agent, and by which there is no more than one. It is in no
/// directory: with its last descriptor it is gone.
pub fn socket_name(nonce: &str) -> String {
    format!("mpivet-agent-{nonce}")
}

/// The directory of traces on a node whose agent brings them to `mpivet run`, although the nodes share one: others would see late
/// what is written there. It is of the node alone, which its name says where nodes have a common `/tmp`. `wish`: where the user
/// wants stages.
pub fn node_dir(nonce: &str, wish: Option<&Path>) -> PathBuf {
    wish.filter(|wish| wish.is_absolute()).unwrap_or(Path::new("/tmp")).join(format!("mpivet-{nonce}-{}", proc::host()))
}

/// A process asks its agent, by one byte, to answer by the same byte when all it has recorded is where it belongs.
pub const FLUSH: u8 = b'f';

/// A process says to the agent of its node that it is there, before it has a trace, so that the agent stays. Any byte is the
/// answer.
pub const HERE: u8 = b'h';

/// A process asks its agent whether it is connected: the answer is [`YES`] or [`NO`].
pub const IS_CONNECTED: u8 = b'c';
/// See [`IS_CONNECTED`].
pub const YES: u8 = b'y';
/// See [`IS_CONNECTED`].
pub const NO: u8 = b'n';
