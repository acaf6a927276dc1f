//! Sends and receives by the destination of their messages, and the pairs that match in every schedule.

use crate::program::{Kind, OpIx, Program, Step};
use std::collections::BTreeMap;

/// The source and tag that a receive or probe asks for; `None`: any.
pub(crate) type Pattern = (Option<u32>, Option<i32>);

/// Sends and receives by the destination of their messages.
pub(crate) struct Mailboxes {
    /// Pairs that match in every schedule: their messages go from one thread to one thread with one tag, and no
    /// wildcard and no probe can take or see them.
    pub(crate) certain: Vec<(OpIx, OpIx)>,
    /// By communicator and destination: the other sends and receives.
    pub(crate) open: BTreeMap<(u32, u32), (Vec<OpIx>, Vec<OpIx>)>,
}

impl Mailboxes {
    pub(crate) fn new(program: &Program) -> Mailboxes {
        let mut streams: BTreeMap<(u32, u32), BTreeMap<(u32, i32), Stream>> = BTreeMap::new();
        let mut wild: BTreeMap<(u32, u32), Vec<Pattern>> = BTreeMap::new();
        let mut open: BTreeMap<(u32, u32), (Vec<OpIx>, Vec<OpIx>)> = BTreeMap::new();
        for (i, op) in program.ops.iter().enumerate() {
            let (place, stream, is_send) = match op.kind {
                Kind::Send { comm, from, to, tag, .. } => ((comm, to), (from, tag), true),
                Kind::Recv { comm, at, source: Some(source), tag: Some(tag), .. } => ((comm, at), (source, tag), false),
                Kind::Recv { comm, at, source, tag, .. } => {
                    wild.entry((comm, at)).or_default().push((source, tag));
                    open.entry((comm, at)).or_default().1.push(i as OpIx);
                    continue;
                }
                _ => continue,
            };
            let stream = streams.entry(place).or_default().entry(stream).or_default();
            let side = if is_send { &mut stream.sends } else { &mut stream.recvs };
            stream.mixed |= side.last().is_some_and(|last| program.ops[*last as usize].thread != op.thread);
            side.push(i as OpIx);
        }
        for step in program.threads.iter().flatten() {
            if let Step::Probe { comm, at, source, tag, .. } = *step {
                wild.entry((comm, at)).or_default().push((source, tag));
            }
        }
        let mut certain = Vec::new();
        for (place, streams) in streams {
            let mut wild = wild.remove(&place).unwrap_or_default();
            wild.sort_unstable();
            wild.dedup();
            for ((from, tag), stream) in streams {
                let seen = wild.iter().any(|(s, t)| s.is_none_or(|s| s == from) && t.is_none_or(|t| t == tag));
                if stream.mixed || seen {
                    let open = open.entry(place).or_default();
                    open.0.extend(stream.sends);
                    open.1.extend(stream.recvs);
                } else {
                    certain.extend(stream.sends.into_iter().zip(stream.recvs));
                }
            }
        }
        // In the order of each thread.
        for (sends, recvs) in open.values_mut() {
            sends.sort_unstable();
            recvs.sort_unstable();
        }
        Mailboxes { certain, open }
    }
}

/// Messages of one source with one tag, and the receives that name both.
#[derive(Default)]
struct Stream {
    sends: Vec<OpIx>,
    recvs: Vec<OpIx>,
    /// Several threads send, or several receive.
    mixed: bool,
}
