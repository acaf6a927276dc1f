//! The words between an agent and `mpivet run`.

use crate::process::Reading;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// A process of the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProcessId {
    /// Its number on its host.
    pub pid: u32,
    /// Its start in clock ticks since boot.
    pub start: u64,
}

/// A file of the traces, by its way from their directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place(String);

impl Place {
    /// `None`: nobody has such a file in the directory of traces.
    pub fn new(path: &Path) -> Option<Place> {
        let place = Place(path.to_str()?.to_owned());
        place.is_right().then_some(place)
    }

    /// A name, or the name of a job and a name in its directory: nothing that leads out of it.
    fn is_right(&self) -> bool {
        let path = Path::new(&self.0);
        let parts: Vec<Component> = path.components().collect();
        let is_plain = |part: &Component| matches!(part, Component::Normal(name) if name.len() < 256);
        (1..=2).contains(&parts.len()) && parts.iter().all(is_plain) && !self.0.contains('\0')
    }

    /// The file in this directory; `None`: it would not be in it.
    pub fn under(&self, dir: &Path) -> Option<PathBuf> {
        self.is_right().then(|| dir.join(&self.0))
    }
}

/// New records of a stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageNews {
    /// Bytes of records that the stage has room for.
    pub room: u32,
    /// The page in front of the records.
    pub header: Vec<u8>,
    /// The lap that the records are of.
    pub lap: u64,
    /// Records that have changed, by their offsets among the records.
    pub changed: Vec<(u32, Vec<u8>)>,
    /// Where the new records begin.
    pub at: u32,
    /// New records, one behind the other.
    pub records: Vec<u8>,
}

/// A question to an agent, of somebody who visits `mpivet run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inquiry {
    /// Its state, and whether its other threads wait for each other without limit. The answer is a [`Reading`] and a bool, as
    /// [`trace_format::codec`] has them.
    Look {
        /// The process.
        process: ProcessId,
        /// Threads of it in calls that are known.
        accounted: Vec<u32>,
    },
    /// Its message queues. The answer is the output of `mpivet queues-of`.
    Queues {
        /// The process.
        process: ProcessId,
        /// It is stopped meanwhile.
        stop: bool,
        /// With call stacks.
        stacks: bool,
    },
}

/// An agent says this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromAgent {
    /// The first message.
    Hello {
        /// Its host.
        host: String,
        /// It sees the directory of the traces that `mpivet run` has made, so that files need not be sent.
        shares_files: bool,
    },
    /// The first message of somebody who is no agent and asks.
    Visit,
    /// A visitor asks the agent of a host.
    Ask {
        /// The number of the question.
        number: u64,
        /// The host.
        host: String,
        /// The question.
        inquiry: Inquiry,
    },
    /// A part of the answer to [`ToAgent::Inquire`], and whether it is the last one.
    Told {
        /// The number of the question.
        number: u64,
        /// `None`: there is no answer.
        part: Option<(Vec<u8>, bool)>,
    },
    /// Bytes of a file.
    Bytes {
        /// The file.
        place: Place,
        /// Where they are in it.
        at: u64,
        /// The file begins anew with these.
        is_new: bool,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A stage has news.
    Stage {
        /// The file.
        place: Place,
        /// All that has changed.
        news: StageNews,
    },
    /// A file is no longer there.
    Removed {
        /// The file.
        place: Place,
    },
    /// A process has ended.
    Ended {
        /// Which one.
        process: ProcessId,
        /// As `waitpid(2)` tells, where the system has said it.
        status: Option<i32>,
        /// Nobody had asked the others on the node to end by then.
        is_alone: bool,
    },
    /// All that a process had recorded before its end was sent.
    Complete {
        /// Which one.
        process: ProcessId,
    },
    /// The answer to [`ToAgent::Look`]: everything that the process had recorded by then was sent before.
    Seen {
        /// The number of the question.
        question: u64,
        /// The process as it was.
        reading: Reading,
        /// Its other threads wait for each other without limit.
        others_wait: bool,
    },
    /// All that a process has recorded was sent, and it wants to know when that is in its place.
    Sync {
        /// The number of this question.
        number: u64,
    },
    /// All processes of the node that live have said that they record nothing more, and all was sent: the agent may be ended with
    /// the last of them.
    Leaving,
    /// So many bytes of traces wait, because no more may be sent.
    Behind {
        /// Bytes.
        bytes: u64,
    },
    /// Nothing has happened.
    Alive,
    /// All processes of the node are gone, and all they had recorded was sent.
    Bye,
}

/// `mpivet run` says this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToAgent {
    /// A visitor asks.
    Inquire {
        /// The number of the question.
        number: u64,
        /// The question.
        inquiry: Inquiry,
    },
    /// To a visitor: a part of an answer, and whether it is the last one.
    Told {
        /// The number of the question.
        number: u64,
        /// `None`: there is no answer.
        part: Option<(Vec<u8>, bool)>,
    },
    /// Look at a process.
    Look {
        /// The number of this question.
        question: u64,
        /// Which one.
        process: ProcessId,
        /// Threads of it that are in calls that are known.
        accounted: Vec<u32>,
        /// How many more there are of these, whose numbers are not known.
        unnamed: u32,
    },
    /// Everything that was sent before this [`FromAgent::Sync`] is in its place.
    Received {
        /// The number of the question.
        number: u64,
    },
    /// The launcher has ended: no process will come any more.
    Over,
    /// The job is to end: kill these, if they are processes of the job.
    Kill {
        /// Which ones.
        processes: Vec<ProcessId>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_leads_out_of_the_directory() {
        let dir = Path::new("/traces");
        let is_in = |text: &str| Place(text.to_owned()).under(dir).is_some();
        assert!(is_in("rank-0.mpv") && is_in("job-1/rank-0.mpv"));
        for wrong in ["", ".", "..", "/etc/passwd", "../x", "a/../../x", "a/b/c", "a/..", "./../x", "a\0b"] {
            assert!(!is_in(wrong), "{wrong:?}");
        }
        assert!(!is_in(&"n".repeat(300)));
    }
}
