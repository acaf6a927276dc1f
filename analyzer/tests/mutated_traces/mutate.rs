//! Changes of good traces. Some change what is said and leave the checksums right, so that it is believed; others change the
//! bytes of the files.

use crate::good::{Block, Rank};
use crate::random::Random;
use trace_format::annotations::Annotation;
use trace_format::definition::Definition;
use trace_format::file::{BLOCK_HEADER_BYTES, BlockKind, PROCESS_THREAD, RankHeader};
use trace_format::ranks::Ranks;
use trace_format::system::SystemEvent;
use trace_format::writer::file_header;
use trace_reader::call::{Outcome, Value};
use trace_reader::reader::RankEvent;

/// Changes one thing that the ranks say.
pub(crate) fn say_otherwise(ranks: &mut [Rank], random: &mut Random) {
    let from = random.below(ranks.len());
    let to = random.below(ranks.len());
    let moved = random.of(&ranks[from].events).cloned();
    let Some(rank) = ranks.get_mut(to) else { return };
    let n = rank.events.len();
    let (i, j) = (random.below(n), random.below(n));
    match random.below(12) {
        _ if n == 0 => {}
        0 => _ = rank.events.remove(i),
        1 => rank.events.insert(i, rank.events[j].clone()),
        2 => rank.events.swap(i, j),
        3 => rank.events.insert(i, moved.unwrap_or_else(|| rank.events[j].clone())),
        4 => rank.events.truncate(i),
        5 => header(&mut rank.header, random),
        _ => event(&mut rank.events[i], random),
    }
}

fn header(header: &mut RankHeader, random: &mut Random) {
    let number = random.number();
    match random.below(9) {
        0 => header.size = number as i32,
        1 => header.ticks_per_second = number as u64,
        2 => header.start_ticks = number as u64,
        3 => header.start_unix_ns = number as u64,
        4 => header.request_stride = number as u32,
        5 => header.stage_bytes = number as u32,
        6 => header.may_have_threads = true,
        7 => header.host = random.word(),
        _ => header.program = random.word(),
    }
}

fn event(event: &mut RankEvent, random: &mut Random) {
    match event {
        RankEvent::Definition(d) => definition(d, random),
        RankEvent::Call(call) => match random.below(8) {
            0 => call.t_call = random.number() as u64,
            1 => call.t_return = random.number() as u64,
            2 => call.outcome = Outcome::Open,
            3 => call.outcome = Outcome::Returned(random.number() as u16),
            4 => call.thread = random.below(3) as u16,
            5 => call.polls = random.number() as u32,
            _ => {
                let list = if random.one_in(3) { &mut call.outs } else { &mut call.ins };
                random.of_mut(list).into_iter().for_each(|v| value(v, random));
            }
        },
        RankEvent::Return { index, time, class, outs, .. } => match random.below(4) {
            0 => *index = random.number() as u64,
            1 => *time = random.number() as u64,
            2 => *class = random.number() as u16,
            _ => random.of_mut(outs).into_iter().for_each(|v| value(v, random)),
        },
        RankEvent::System { thread, time, event } => match random.below(4) {
            0 => *thread = if random.one_in(2) { PROCESS_THREAD } else { random.below(3) as u16 },
            1 => *time = random.number() as u64,
            _ => system(event, random),
        },
    }
}

fn value(value: &mut Value, random: &mut Random) {
    let number = random.number();
    match value {
        Value::None => *value = Value::Int(number),
        Value::Int(v) => *v = number,
        Value::Request { slot, handle } => {
            if random.one_in(2) {
                *slot = number as u64;
            } else {
                *handle = number;
            }
        }
        Value::Requests { handles: list, .. } | Value::Ints(list) => match random.below(4) {
            0 => list.clear(),
            1 => list.push(number),
            2 => list.resize(random.below(700), number),
            _ => random.of_mut(list).into_iter().for_each(|v| *v = number),
        },
        Value::Status(status) => match random.below(4) {
            0 => status.source = number as i32,
            1 => status.tag = number as i32,
            2 => status.bytes = Some(number as u64),
            _ => status.cancelled = !status.cancelled,
        },
        Value::Statuses(list) => match random.below(2) {
            0 => list.truncate(random.below(list.len())),
            _ => random.of_mut(list).into_iter().for_each(|s| s.source = number as i32),
        },
        Value::Str(text) => *text = random.word(),
    }
}

fn some_ranks(random: &mut Random) -> Ranks {
    match random.below(4) {
        0 => Ranks::first_n(random.below(2000) as u32),
        1 => Ranks::first_n(1 << 20),
        _ => (0..random.below(6)).map(|_| random.number() as i32 % (1 << 24)).collect(),
    }
}

fn definition(definition: &mut Definition, random: &mut Random) {
    let number = random.number();
    let other = if random.one_in(3) { number as u32 } else { random.below(270) as u32 };
    match definition {
        Definition::Comm { id, local, remote, neighbors } => match random.below(4) {
            0 => *id = other,
            1 => *local = some_ranks(random),
            2 => *remote = if remote.is_some() { None } else { Some(some_ranks(random)) },
            _ => random_neighbors(neighbors, random),
        },
        Definition::Group { id, ranks } => match random.below(2) {
            0 => *id = other,
            _ => *ranks = some_ranks(random),
        },
        Definition::Datatype { id, ints, types, size, extent, lb, .. } => match random.below(8) {
            0 => *id = other,
            1 => *size = number as u64,
            2 => *extent = number,
            3 => *lb = number,
            4 => types.push(other),
            5 => types.clear(),
            6 => ints.truncate(random.below(ints.len())),
            _ => random.of_mut(ints).into_iter().for_each(|v| *v = number),
        },
        Definition::Bridge(bridge) => match random.below(6) {
            0 => bridge.first = number as i32,
            1 => bridge.count = number as i32,
            2 => bridge.root = number as i32,
            3 => bridge.local = some_ranks(random),
            4 => bridge.entered = number as u64,
            _ => bridge.returned = number as u64,
        },
        other => *other = Definition::CommName { id: number as u32, name: random.word() },
    }
}

fn random_neighbors(neighbors: &mut Option<trace_format::definition::Neighbors>, random: &mut Random) {
    let known = neighbors.get_or_insert_default();
    let list = if random.one_in(2) { &mut known.sources } else { &mut known.destinations };
    list.push(random.number() as i32);
}

fn system(event: &mut SystemEvent, random: &mut Random) {
    let number = random.number();
    match event {
        SystemEvent::Exit { status } => *status = number as i32,
        SystemEvent::Signal(signal) => match random.below(4) {
            0 => signal.signal = number as i32,
            1 => signal.thread = Some(number as u16),
            2 => signal.is_last = !signal.is_last,
            _ => (signal.pc, signal.caller) = (number as u64, random.number() as u64),
        },
        SystemEvent::MpiError { call, class, text, .. } => match random.below(3) {
            0 => *call = number as u64,
            1 => *class = number as u16,
            _ => *text = random.word(),
        },
        SystemEvent::Gap { calls } => *calls = number as u64,
        SystemEvent::Lost { reason } => *reason = random.word(),
        SystemEvent::ThreadLevel { call, other, .. } => (*call, *other) = (number as u64, Some(random.below(4) as u16)),
        SystemEvent::Recording { on } => *on = !*on,
        SystemEvent::Found(found) => match random.below(6) {
            0 => found.code = format!("MV{}", number.unsigned_abs() % 1000),
            1 => found.message = random.word(),
            2 => found.notes.push(random.word()),
            3 => found.count = number as u64,
            4 => random.of_mut(&mut found.places).into_iter().for_each(|p| p.call = number as u64),
            _ => random
                .of_mut(&mut found.places)
                .into_iter()
                .for_each(|p| (p.func, p.role) = (number as u16, random.word())),
        },
        SystemEvent::Checksums(checksums) => match random.below(3) {
            0 => checksums.call = number as u64,
            1 => checksums.request = number as u32,
            _ => {
                for sum in checksums.sent.iter_mut().chain(&mut checksums.received) {
                    (sum.partner, sum.bytes) = (random.number() as u32, random.number() as u64);
                }
            }
        },
        SystemEvent::Sample(sample) => match random.below(2) {
            0 => sample.variable = random.word(),
            _ => (sample.place, sample.elements, sample.comm) = (number as u32, number as u32, Some(number as u32)),
        },
        SystemEvent::Callback(callback) => match random.below(2) {
            0 => callback.request = (number as u16, number as u64),
            _ => callback.result = number as i32,
        },
        SystemEvent::Touched(touched) => match random.below(3) {
            0 => touched.call = number as u64,
            1 => touched.site = number as u32,
            _ => touched.runs.push((random.number() as u64, random.number() as u64)),
        },
        SystemEvent::Watched(watched) => watched.left_out.push((number as u64, random.word())),
        SystemEvent::Annotation { call, annotation } => match random.below(2) {
            0 => *call = number as u64,
            _ => *annotation = Annotation::RegionEnd { name: random.word() },
        },
    }
}

/// Changes one thing in the blocks, whose checksums will be right.
pub(crate) fn write_otherwise(blocks: &mut Vec<Block>, random: &mut Random) {
    let n = blocks.len();
    let (i, j) = (random.below(n), random.below(n));
    match random.below(9) {
        _ if n == 0 => {}
        0 => _ = blocks.remove(i),
        1 => blocks.swap(i, j),
        2 => blocks[i].lap = random.number() as u64,
        3 => blocks[i].thread = if random.one_in(2) { PROCESS_THREAD } else { random.number() as u16 },
        4 => {
            let kinds = [BlockKind::Events, BlockKind::Definitions, BlockKind::Packed];
            blocks[i].kind = *random.of(&kinds).unwrap();
        }
        5 => {
            let len = blocks[i].bytes.len();
            blocks[i].bytes.truncate(BLOCK_HEADER_BYTES + random.below(len - BLOCK_HEADER_BYTES));
        }
        6 => {
            let payload = &mut blocks[i].bytes[BLOCK_HEADER_BYTES..];
            random.of_mut(payload).into_iter().for_each(|b| *b ^= 1 << (random.next() & 7));
        }
        _ => {
            // A word of a record.
            let payload = &mut blocks[i].bytes[BLOCK_HEADER_BYTES..];
            let width = if random.one_in(2) { 4 } else { 8 };
            let at = random.below(payload.len() / width) * width;
            if let Some(place) = payload.get_mut(at..at + width) {
                place.copy_from_slice(&random.number().to_le_bytes()[..width]);
            }
        }
    }
}

/// Changes the bytes of a file.
pub(crate) fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes.truncate(at),
        1 => random.of_mut(bytes).into_iter().for_each(|b| *b = random.next() as u8),
        2 => {
            let noise: Vec<u8> = (0..random.below(100)).map(|_| random.next() as u8).collect();
            bytes.splice(at..at, noise);
        }
        _ => {
            let end = (at + random.below(200)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
}

/// The files of a run with some changes.
pub(crate) fn files(mut ranks: Vec<Rank>, random: &mut Random) -> Vec<(Rank, Vec<u8>)> {
    for _ in 0..random.below(4) {
        say_otherwise(&mut ranks, random);
    }
    let (changed, damaged) = (random.below(ranks.len()), random.below(ranks.len()));
    let lap = 1 + random.below(8);
    let file = |(i, rank): (usize, Rank)| {
        let mut blocks = rank.blocks(lap);
        if i == changed && random.one_in(2) {
            (0..=random.below(2)).for_each(|_| write_otherwise(&mut blocks, random));
        }
        let blocks = blocks.into_iter().flat_map(Block::sealed);
        let mut bytes: Vec<u8> = file_header(&rank.header).into_iter().chain(blocks).collect();
        if i == damaged && random.one_in(4) {
            damage(&mut bytes, random);
        }
        (rank, bytes)
    };
    ranks.into_iter().enumerate().map(file).collect()
}
