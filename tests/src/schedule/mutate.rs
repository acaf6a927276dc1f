//! Puts exactly one mistake into a correct schedule, at a place where its class is beyond doubt.

use super::random::Random;
use super::{Action, Collective, Data, End, Look, Message, Mode, OPS_ANY_TYPE, Op, Schedule};

/// The classes of mistakes, by the names of the checks that must find them.
pub const KINDS: [&str; 16] = [
    "nonpaired-send",
    "nonpaired-recv",
    "wrong-send-size",
    "wrong-data-type",
    "unfinished-send",
    "unfinished-recv",
    "nonfreed-request",
    "collective-mismatch",
    "wrong-root",
    "diff-reductions",
    "collective-data-type",
    "wrong-recv-size",
    "collective-argument-mismatch",
    "incomplete-gop",
    "real-deadlock",
    "real-hang-up",
];

/// Tags that no correct schedule uses.
const FRESH_TAG: u32 = 9000;

/// A schedule with one mistake.
pub struct Mutant {
    pub schedule: Schedule,
    pub check: &'static str,
    /// Ranks that the finding must name; it may name others that took part.
    pub ranks: Vec<usize>,
    /// The change, for people.
    pub what: String,
}

/// The schedule with a mistake of class `kind`, or `None` if it has no place for one.
pub fn mutate(mut schedule: Schedule, kind: &'static str, random: &mut Random) -> Option<Mutant> {
    schedule.correct = false;
    let (ranks, what) = match kind {
        "nonpaired-send" => nonpaired_send(&mut schedule, random),
        "nonpaired-recv" => nonpaired_recv(&mut schedule, random),
        "wrong-send-size" => wrong_send_size(&mut schedule, random),
        "wrong-data-type" => wrong_data_type(&mut schedule, random),
        "unfinished-send" => unfinished(&mut schedule, random, true),
        "unfinished-recv" => unfinished(&mut schedule, random, false),
        "nonfreed-request" => nonfreed_request(&mut schedule, random),
        "incomplete-gop" => incomplete_gop(&mut schedule, random),
        "real-deadlock" => real_deadlock(&mut schedule, random),
        "real-hang-up" => real_hang_up(&mut schedule, random),
        _ => collective(&mut schedule, random, kind),
    }?;
    Some(Mutant { schedule, check: kind, ranks, what })
}

type Done = Option<(Vec<usize>, String)>;

/// Two different ranks, the second of which takes no message of an unknown tag on MPI_COMM_WORLD.
fn two_ranks(schedule: &Schedule, random: &mut Random) -> Option<(usize, usize)> {
    let mut ranks: Vec<usize> = (0..schedule.ranks).collect();
    random.shuffle(&mut ranks);
    let to = ranks.iter().copied().find(|&r| !schedule.accepts_any_tag(r))?;
    Some((ranks.into_iter().find(|&r| r != to)?, to))
}

/// A place where an operation may be put in.
fn place(schedule: &Schedule, random: &mut Random) -> usize {
    let (first, last) = schedule.body;
    first + random.below(last - first + 1)
}

/// The first place from `at` on where no rank waits for what another one does later: in the middle of a collective operation, some
/// ranks of a deadlock would wait in that instead.
fn behind_all_that_is_begun(schedule: &Schedule, mut at: usize) -> usize {
    let together = schedule.collectives.iter().map(|(_, places)| places.clone());
    let messages = schedule.messages.iter().map(|message| vec![message.send, message.recv]);
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for places in together.chain(messages) {
        let (first, last) = (places.iter().min().copied(), places.iter().max().copied());
        let waits = |first: &usize| {
            !matches!(schedule.ops[*first].action, Action::Isend { .. } | Action::Irecv { .. } | Action::Start { .. })
        };
        spans.extend(first.filter(waits).zip(last));
    }
    spans.sort_unstable();
    for (first, last) in spans {
        if first < at && at <= last {
            at = last + 1;
        }
    }
    at
}

fn world(peer: usize, tag: u32) -> End {
    End { comm: 0, peer: Some(peer), tag: Some(tag) }
}

fn little(random: &mut Random) -> Data {
    Data { base: random.pick(&["int", "float", "double"]), layout: "one", count: 1 + random.below(3) }
}

fn insert(schedule: &mut Schedule, at: usize, rank: usize, action: Action) {
    schedule.ops.insert(at, Op { rank, action });
}

/// A small message that nobody receives. It is buffered by every library, so that the job goes on.
fn nonpaired_send(schedule: &mut Schedule, random: &mut Random) -> Done {
    let (from, to) = two_ranks(schedule, random)?;
    let at = place(schedule, random);
    let send = Action::Send { mode: Mode::Standard, end: world(to, FRESH_TAG), data: little(random), id: 0 };
    insert(schedule, at, from, send);
    Some((vec![from], format!("an additional send from {from} to {to}")))
}

/// A receive of a message that nobody sends, never completed.
fn nonpaired_recv(schedule: &mut Schedule, random: &mut Random) -> Done {
    let (from, to) = two_ranks(schedule, random)?;
    let (at, data) = (place(schedule, random), little(random));
    let elements = data.elements();
    let request = schedule.free_request();
    insert(schedule, at, to, Action::Irecv { request, end: world(from, FRESH_TAG), data, id: 0, elements });
    Some((vec![to], format!("an additional receive of {to} from {from}")))
}

/// Messages whose two sides are ordinary calls, in random order.
fn plain_messages(schedule: &Schedule, random: &mut Random) -> Vec<Message> {
    let mut messages: Vec<Message> = schedule.messages.clone();
    messages.retain(|m| {
        m.from != m.to
            && matches!(schedule.ops[m.send].action, Action::Send { .. } | Action::Isend { .. })
            && matches!(schedule.ops[m.recv].action, Action::Recv { .. } | Action::Irecv { .. })
    });
    random.shuffle(&mut messages);
    messages
}

/// Whether the match of `message` is known without any status: its receiver uses no wildcard on this communicator.
fn is_definite(schedule: &Schedule, message: &Message) -> bool {
    let slot = schedule.groups[message.group].slot;
    schedule.ops.iter().filter(|op| op.rank == message.to).all(|op| match &op.action {
        Action::Recv { end, .. }
        | Action::Irecv { end, .. }
        | Action::Sendrecv { back: end, .. }
        | Action::Replace { back: end, .. } => end.comm != slot || (end.peer.is_some() && end.tag.is_some()),
        _ => true,
    })
}

fn wrong_send_size(schedule: &mut Schedule, random: &mut Random) -> Done {
    let messages = plain_messages(schedule, random);
    let message = messages.into_iter().find(|m| sent(schedule, m).elements() < 100 && is_definite(schedule, m))?;
    let room = match &schedule.ops[message.recv].action {
        Action::Recv { data, .. } | Action::Irecv { data, .. } => data.elements(),
        _ => return None,
    };
    let more = 1 + random.below(3);
    match &mut schedule.ops[message.send].action {
        Action::Send { data, .. } | Action::Isend { data, .. } => data.count = room / data.per_item() + more,
        _ => return None,
    }
    let Message { from, to, .. } = message;
    Some((vec![from, to], format!("a message from {from} to {to} that is too long")))
}

fn sent<'a>(schedule: &'a Schedule, message: &Message) -> &'a Data {
    match &schedule.ops[message.send].action {
        Action::Send { data, .. } | Action::Isend { data, .. } => data,
        other => panic!("not a plain send: {other}"),
    }
}

/// A type of the same size.
fn other_base(base: &str) -> Option<&'static str> {
    Some(match base {
        "int" => "float",
        "float" => "int",
        "long" => "double",
        "double" => "long",
        _ => return None,
    })
}

fn wrong_data_type(schedule: &mut Schedule, random: &mut Random) -> Done {
    let message = plain_messages(schedule, random)
        .into_iter()
        .find(|m| sent(schedule, m).elements() > 0 && other_base(sent(schedule, m).base).is_some())?;
    match &mut schedule.ops[message.recv].action {
        Action::Recv { data, .. } | Action::Irecv { data, .. } => data.base = other_base(data.base)?,
        _ => return None,
    }
    let Message { from, to, .. } = message;
    Some((vec![from, to], format!("a message from {from} to {to} of another type")))
}

/// A request that is left out of its completion. The message is small and arrives in any case.
fn unfinished(schedule: &mut Schedule, random: &mut Random, send: bool) -> Done {
    let message = plain_messages(schedule, random).into_iter().find(|m| {
        sent(schedule, m).elements() < 100
            && if send {
                matches!(schedule.ops[m.send].action, Action::Isend { mode: Mode::Standard, .. })
            } else {
                is_definite(schedule, m) && matches!(schedule.ops[m.recv].action, Action::Irecv { .. })
            }
    })?;
    let (rank, start) = if send { (message.from, message.send) } else { (message.to, message.recv) };
    let (Action::Isend { request: lost, .. } | Action::Irecv { request: lost, .. }) = schedule.ops[start].action else {
        return None;
    };
    for op in schedule.ops.iter_mut().filter(|op| op.rank == rank) {
        if let Action::Complete { how, requests } = &mut op.action {
            requests.retain(|&request| request != lost);
            // In the program's own variable, not in a copy: libraries give several operations the same handle, and
            // then nobody could say which one was lost.
            *how = "wait";
        }
    }
    schedule.ops.retain(|op| !matches!(&op.action, Action::Complete { requests, .. } if requests.is_empty()));
    Some((vec![rank], format!("request {lost} of {rank} is never completed")))
}

fn nonfreed_request(schedule: &mut Schedule, random: &mut Random) -> Done {
    let frees: Vec<usize> =
        (0..schedule.ops.len()).filter(|&at| matches!(schedule.ops[at].action, Action::FreeRequest { .. })).collect();
    if frees.is_empty() {
        return None;
    }
    let op = schedule.ops.remove(random.pick(&frees));
    Some((vec![op.rank], format!("`{}` of {} is missing", op.action, op.rank)))
}

/// A reduction in which the root does not take part: the others only send, and get through.
fn incomplete_gop(schedule: &mut Schedule, random: &mut Random) -> Done {
    let root = random.below(schedule.ranks);
    let data = Data { base: "int", layout: "one", count: 1 };
    let others: Vec<usize> = (0..schedule.ranks).filter(|&r| r != root).collect();
    for &rank in &others {
        let data = data.clone();
        let call = Collective { name: "reduce", request: None, comm: 0, root, op: "sum", data, in_place: false, id: 0 };
        schedule.ops.push(Op { rank, action: Action::Collective(call) });
    }
    Some((others, format!("a reduction without its root {root} in the end")))
}

fn real_deadlock(schedule: &mut Schedule, random: &mut Random) -> Done {
    let mut ranks: Vec<usize> = (0..schedule.ranks).collect();
    random.shuffle(&mut ranks);
    ranks.truncate(2 + random.below(2));
    let (n, data) = (ranks.len(), little(random));
    let elements = data.elements();
    // Sends that wait may only be used where nobody could take them.
    let sends_wait = random.chance(40) && !ranks.iter().any(|&r| schedule.accepts_any_tag(r));
    let mut at = behind_all_that_is_begun(schedule, place(schedule, random));
    for (i, &rank) in ranks.iter().enumerate() {
        let (next, previous) = (ranks[(i + 1) % n], ranks[(i + n - 1) % n]);
        let mode = if sends_wait { Mode::Synchronous } else { Mode::Standard };
        let send = Action::Send { mode, end: world(next, FRESH_TAG), data: data.clone(), id: 0 };
        let end = world(previous, FRESH_TAG);
        let recv = Action::Recv { look: Look::Plain, end, data: data.clone(), id: 0, elements };
        let (first, second) = if sends_wait { (send, recv) } else { (recv, send) };
        insert(schedule, at, rank, first);
        insert(schedule, at + 1, rank, second);
        at += 2;
    }
    let how = if sends_wait { "send" } else { "receive" };
    let what = format!("{ranks:?} all {how} first");
    ranks.sort_unstable();
    Some((ranks, what))
}

/// A receive in the very end, from a rank that has nothing more to do.
fn real_hang_up(schedule: &mut Schedule, random: &mut Random) -> Done {
    let (from, to) = two_ranks(schedule, random)?;
    let data = little(random);
    let elements = data.elements();
    let recv = Action::Recv { look: Look::Plain, end: world(from, FRESH_TAG), data, id: 0, elements };
    schedule.ops.push(Op { rank: to, action: recv });
    Some((vec![to], format!("{to} waits for {from} in the end")))
}

/// A blocking collective that one of its ranks calls differently.
fn collective(schedule: &mut Schedule, random: &mut Random, kind: &str) -> Done {
    let mut candidates = schedule.collectives.clone();
    random.shuffle(&mut candidates);
    for (group, places) in candidates {
        let odd = random.below(places.len());
        let Action::Collective(call) = &schedule.ops[places[odd]].action else { continue };
        if places.len() < 2 {
            continue;
        }
        if let Some(other) = call_differently(call.clone(), kind, odd, places.len(), random) {
            let rank = schedule.groups[group].members[odd];
            let what = format!("{rank} calls `{}`, the others `{}`", Action::Collective(other.clone()), call.name);
            schedule.ops[places[odd]].action = Action::Collective(other);
            return Some((vec![rank], what));
        }
    }
    None
}

fn call_differently(
    mut call: Collective,
    kind: &str,
    odd: usize,
    size: usize,
    random: &mut Random,
) -> Option<Collective> {
    let rooted = matches!(call.name, "bcast" | "gather" | "scatter" | "reduce");
    let has_data = call.data.elements() > 0;
    match kind {
        "collective-mismatch" => {
            let other = random.pick(&["barrier", "bcast", "allgather", "allreduce"]);
            if other == call.name {
                return None;
            }
            call = Collective {
                name: other,
                op: "sum",
                data: Data { base: "int", layout: "one", count: 1 + random.below(3) },
                in_place: false,
                ..call
            };
        }
        "wrong-root" if rooted && has_data && !call.in_place => {
            call.root = (call.root + 1 + random.below(size - 1)) % size
        }
        "diff-reductions" if has_data && call.name != "reduce_scatter" && OPS_ANY_TYPE.contains(&call.op) => {
            let others: Vec<&str> = OPS_ANY_TYPE.into_iter().filter(|&op| op != call.op).collect();
            call.op = random.pick(&others);
        }
        "collective-data-type" => {
            let moves = matches!(call.name, "bcast" | "gather" | "scatter" | "allgather" | "alltoall");
            if !moves || !has_data || call.in_place {
                return None;
            }
            call.data.base = other_base(call.data.base)?;
        }
        // The one that sends too much: the root, or one of those that send to it.
        "wrong-recv-size" => {
            let sends = match call.name {
                "bcast" | "scatter" => odd == call.root,
                "gather" => odd != call.root,
                _ => false,
            };
            if !sends || !has_data {
                return None;
            }
            call.data.count += 1 + random.below(3);
        }
        // A rank that contributes more than the others to a reduction.
        "collective-argument-mismatch" => {
            if !matches!(call.name, "reduce" | "allreduce" | "scan") || !has_data {
                return None;
            }
            call.data.count += 1 + random.below(3);
        }
        _ => return None,
    }
    Some(call)
}
