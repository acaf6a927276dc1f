//! Messages between the first process and its helpers.

use super::{LastRounds, Share, Turns, Way};
use engine::read_ahead::{CountOrder, Positions};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use trace_format::codec;
use trace_format::run::proc::{self, Stat};
use trace_reader::reader::{Defects, Keeps};

/// From the first process to a helper.
#[derive(Serialize, Deserialize)]
pub(super) enum Order {
    Read(Task),
    /// Laps may be counted where they are read: the helper is to say how far it has come, and then to wait for the order, which is
    /// long, so that it must not come while the helper itself is sending.
    Offer,
    /// How laps are counted; `None`: they are not.
    Count(Option<CountOrder>),
    /// So many laps are counted.
    Counted(u64),
    /// All that is kept is to come back.
    BringBack,
    /// No more is wanted of what it reads.
    Stop,
    /// The analysis is over.
    End,
}

/// The traces that a helper is to read, and how.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// An absolute path.
    pub(crate) dir: PathBuf,
    pub(crate) share: Share,
    /// By the places of the share.
    pub(crate) traces: Vec<TraceToRead>,
    /// Bytes of records that are unpacked at a time, if not all of a block.
    pub(crate) piece: Option<usize>,
    /// No file stays open.
    pub(crate) stay_closed: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TraceToRead {
    pub(crate) stem: String,
    pub(crate) process: i32,
}

/// From a helper to the first process.
pub(super) enum Answer {
    Turns(Turns),
    Words(Words),
}

/// Answers apart from turns.
#[derive(Serialize, Deserialize)]
pub(super) enum Words {
    /// The process that it is, first of all.
    Is(Member),
    /// How far it has come, for [`Order::Offer`].
    Ready(Positions),
    /// All was read, or no more is wanted. The defects of its traces.
    Done(Vec<Defects>),
    /// Why it cannot read.
    Failed(String),
}

/// A process that helps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Member {
    pub(super) host: String,
    pub(super) pid: u32,
}

impl Member {
    pub(super) fn this() -> Member {
        Member { host: proc::host(), pid: std::process::id() }
    }

    /// Has it ended, as far as this host can say?
    pub(super) fn has_ended(&self) -> bool {
        self.host == proc::host() && Stat::of(self.pid).is_none_or(|stat| matches!(stat.state, 'Z' | 'X'))
    }
}

/// The last byte of an answer.
const TURNS: u8 = 0;
const WORDS: u8 = 1;

/// To a helper.
pub(super) fn order(team: &impl Way, helper: usize, order: &Order) -> Result<(), codec::CodecError> {
    let mut bytes = Vec::new();
    codec::append(order, &mut bytes)?;
    team.send(helper, &bytes);
    Ok(())
}

/// Waits for an order of the first process.
pub(super) fn next_order(team: &impl Way) -> Option<Order> {
    let mut bytes = Vec::new();
    team.receive(FIRST, &mut bytes);
    codec::take(&mut &bytes[..])?.ok()
}

/// Is there an order?
pub(super) fn has_order(team: &impl Way) -> bool {
    team.has_message(FIRST)
}

const FIRST: usize = 0;

impl Answer {
    /// To the first process.
    pub(super) fn turns(team: &impl Way, turns: &Turns, (last, memory): (&mut LastRounds, &mut Vec<u8>)) {
        *memory = turns.write(last, std::mem::take(memory));
        memory.push(TURNS);
        team.send(FIRST, memory);
    }

    /// To the first process.
    pub(super) fn words(team: &impl Way, words: &Words) -> Result<(), codec::CodecError> {
        let mut bytes = Vec::new();
        codec::append(words, &mut bytes)?;
        bytes.push(WORDS);
        team.send(FIRST, &bytes);
        Ok(())
    }

    /// Reads an answer of a helper who has the share with these `keeps`. `None`: it was damaged on the way.
    pub(super) fn of(bytes: &[u8], keeps: Keeps, last: &mut LastRounds) -> Option<Answer> {
        match bytes.split_last()? {
            (&TURNS, bytes) => Turns::read(keeps, last, bytes).map(Answer::Turns),
            (_, mut bytes) => codec::take(&mut bytes)?.ok().map(Answer::Words),
        }
    }
}
