//! Calls that are like others are not decoded again, and rounds of a loop that come again are not even unpacked: the events are
//! the same as without that.

mod common;

use common::Random;
use std::collections::BTreeMap;
use std::fs;
use trace_format::file::rank_path;
use trace_format::mpi::{FnId, Status};
use trace_reader::args::Args;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::{
    Keeps, LeanEvent, Part, RankEvent, RankReader, Repeat, Rounds, Sink, varying_fields, varying_of, varying_status,
    with_varying,
};
use trace_reader::synthetic::{RankWriter, header};

/// Keeps calls, and makes whole ones of those that are like them.
struct Keeper {
    keeps: Keeps,
    kept: BTreeMap<u16, Call<Args>>,
    events: Vec<RankEvent>,
    repeats: usize,
    /// The number of calls after which the thread may repeat itself; 0: rounds are not wanted.
    round_len: usize,
    /// Calls that came in rounds.
    in_rounds: usize,
}

impl Keeper {
    fn new(keeps: Keeps) -> Keeper {
        Keeper { keeps, kept: BTreeMap::new(), events: Vec::new(), repeats: 0, round_len: 0, in_rounds: 0 }
    }

    /// Makes a whole call of a repeat of a kept one.
    fn as_kept(&self, repeat: &Repeat) -> Call {
        let like = &self.kept[&repeat.slot];
        let fields = varying_fields(like.func);
        let mut outs = like.outs.to_values();
        for (at, (field, varying)) in fields.iter().zip(repeat.varying).enumerate() {
            match (field.part, &mut outs[field.place]) {
                (Part::Written, value) => *value = Value::Int(varying),
                (Part::Status(0), Value::Status(status)) => *status = varying_status(at, &repeat.varying).unwrap(),
                _ => {}
            }
        }
        Call {
            thread: repeat.thread,
            index: repeat.index,
            site: like.site,
            polls: like.polls,
            t_call: repeat.t_call,
            t_return: repeat.t_return,
            outcome: Outcome::Returned(repeat.class),
            ins: with_varying(fields, &repeat.varying, &like.ins),
            outs,
            ..Call::new(like.func)
        }
    }
}

/// Are these calls the same but for their times?
fn is_same(one: &RankEvent, other: &RankEvent) -> bool {
    let timeless = |event: &RankEvent| match event {
        RankEvent::Call(call) => Some(Call { index: 0, t_call: 0, t_return: 0, ..call.clone() }),
        _ => None,
    };
    timeless(one).is_some() && timeless(one) == timeless(other)
}

impl Sink for Keeper {
    fn event(&mut self, mut event: LeanEvent) {
        if let RankEvent::Call(call) = &mut event
            && let Some(slot) = call.slot.take()
        {
            self.kept.insert(slot, call.clone());
        }
        self.events.push(event.into());
    }

    fn keeps(&self) -> Keeps {
        self.keeps
    }

    fn repeat(&mut self, repeat: Repeat) {
        let like = &self.kept[&repeat.slot];
        let fields = varying_fields(like.func);
        if self.keeps == Keeps::Same {
            assert_eq!(repeat.varying, varying_of(fields, &like.ins, &like.outs));
        }
        self.events.push(RankEvent::Call(self.as_kept(&repeat)));
        self.repeats += 1;
    }

    fn round_len(&self) -> Option<usize> {
        let (last, before) =
            (self.events.len().checked_sub(self.round_len)?, self.events.len().checked_sub(2 * self.round_len)?);
        let all = self.events[before..last].iter().zip(&self.events[last..]);
        (self.round_len > 0 && all.into_iter().all(|(one, other)| is_same(one, other))).then_some(self.round_len)
    }

    fn knows(&mut self, round: &[Repeat]) -> bool {
        let last = &self.events[self.events.len() - round.len()..];
        assert!(round.iter().zip(last).all(|(repeat, event)| is_same(&RankEvent::Call(self.as_kept(repeat)), event)));
        true
    }

    fn rounds(&mut self, rounds: Rounds) {
        assert_eq!(rounds.times.len() % rounds.round.len(), 0);
        self.in_rounds += rounds.times.len();
        rounds.each().for_each(|repeat| self.repeat(repeat));
    }
}

/// A program with windows of messages, each of which has buffers, variables and handles of its own; now and then something
/// else differs.
fn windows(random: &mut Random) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let put = |calls: &mut Vec<Call>, func: FnId, ins: &[(&str, Value)], outs: &[(&str, Value)], class: u16| {
        let (time, row) = (100 * calls.len() as u64, func.row());
        let mut call = Call { site: func as u32, outcome: Outcome::Returned(class), ..Call::new(func) };
        (call.t_call, call.t_return) = (time, time + 30 + calls.len() as u64 % 7);
        ins.iter().for_each(|(name, value)| call.ins[row.param(name).unwrap()] = value.clone());
        outs.iter().for_each(|(name, value)| call.outs[row.param(name).unwrap()] = value.clone());
        calls.push(call);
    };
    let int = |value: u64| Value::Int(value as i64);
    while calls.len() < 30_000 {
        let window = 100 + random.below(2);
        let handle = |i: u64| 0xac00_0000 + if goes_up(i, window) { i } else { window - i };
        for i in 0..window {
            let (count, tag) = (int(7 + random.below(3)), Value::Int(random.below(4) as i64 - 1));
            let comm = u64::from(random.below(500) == 0);
            let message = |peer| {
                let args =
                    [("count", count), ("datatype", int(2)), (peer, int(1)), ("tag", tag), ("comm", int(1 + comm))];
                [&args[..], &[("buf", int(0x5000 + 8 * i)), ("request", int(0x9000 + 4 * i))]].concat()
            };
            let class = u16::from(random.below(700) == 0);
            let written = [("request", int(handle(i)))];
            match i % 2 {
                0 => put(&mut calls, FnId::MPI_Irecv, &message("source"), &written, class),
                _ => put(&mut calls, FnId::MPI_Isend, &message("dest"), &written, class),
            }
        }
        for i in 0..window {
            let request = Value::Request { slot: 0x9000 + 4 * i, handle: handle(i) as i64 };
            let (source, bytes) =
                (i32::from(random.below(300) == 0), (random.below(9) > 0).then_some(1 << random.below(40)));
            let status = Status { source, tag: random.below(3) as i32 - 1, bytes, cancelled: random.below(9) == 0 };
            put(&mut calls, FnId::MPI_Wait, &[("request", request)], &[("status", Value::Status(status))], 0);
        }
        put(&mut calls, FnId::MPI_Barrier, &[("comm", int(1))], &[], 0);
    }
    calls
}

fn goes_up(i: u64, window: u64) -> bool {
    (i + window).is_multiple_of(3)
}

/// A directory with the trace of a rank that makes these calls.
fn written(calls: &[Call]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let mut writer = RankWriter::new(&mut bytes, &header(0, 1)).unwrap();
    calls.iter().for_each(|call| writer.call(call).unwrap());
    writer.flush().unwrap();
    drop(writer);
    fs::write(rank_path(dir.path(), 0), bytes).unwrap();
    dir
}

#[test]
fn calls_that_are_like_others_are_what_they_were() {
    let calls = windows(&mut Random(5));
    let dir = written(&calls);
    let reader = |piece: Option<usize>| {
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        piece.into_iter().for_each(|bytes| reader.read_in_pieces(bytes));
        reader.writer_is_gone();
        reader
    };
    let mut all = Vec::new();
    let mut whole = reader(None);
    while whole.poll(2, &mut |e| all.push(e)).unwrap() {}
    assert_eq!(all.len(), calls.len());
    for (keeps, least) in [(Keeps::Nothing, 0), (Keeps::Same, 0), (Keeps::Alike, calls.len() / 10 * 8)] {
        for piece in [None, Some(1_000)] {
            let mut keeper = Keeper::new(keeps);
            let mut reader = reader(piece);
            while reader.poll_lean(1, 37, &mut keeper).unwrap() {}
            let wrong = keeper.events.iter().zip(&all).position(|(one, other)| one != other);
            assert_eq!((keeper.events.len(), wrong), (all.len(), None), "{keeps:?} {piece:?}");
            assert!(keeper.repeats >= least, "{} of {}", keeper.repeats, all.len());
            assert_eq!(reader.defects.count(), 0);
        }
    }
}

/// A sink that knows the round of a loop is given whole rounds of it, and all that comes in between.
#[test]
fn rounds_of_a_loop_are_what_they_were() {
    let mut random = Random(3);
    let (mut body, mut calls) = (windows(&mut random), Vec::new());
    let len = body.iter().position(|call| call.func == FnId::MPI_Barrier).unwrap() + 1;
    body.truncate(len);
    for round in 0..400 {
        for call in &body {
            let time = 150 * calls.len() as u64;
            let mut call = Call { t_call: time, t_return: time + 30 + random.below(90), ..call.clone() };
            if random.below(20_000) == 0 {
                call.outcome = [Outcome::Returned(3), Outcome::Open][random.below(2) as usize];
                call.outs = if call.is_open() { Call::new(call.func).outs } else { call.outs };
            }
            if random.below(20_000) == 0 {
                call.site = 99;
            }
            if call.func == FnId::MPI_Barrier && round % 50 == 49 {
                // Polls are counted in their records.
                call = Call {
                    polls: 3,
                    t_call: time,
                    t_return: time + 9,
                    outcome: call.outcome,
                    ..Call::new(FnId::MPI_Iprobe)
                };
            }
            calls.push(call);
        }
    }
    let dir = written(&calls);
    let mut whole = RankReader::open(dir.path(), 0).unwrap();
    whole.writer_is_gone();
    let mut all = Vec::new();
    while whole.poll(2, &mut |e| all.push(e)).unwrap() {}
    for (round_len, most, least) in
        [(len, 700, 4), (len, 1, 4), (3 * len, usize::MAX, 30), (79, usize::MAX, usize::MAX)]
    {
        let mut keeper = Keeper { round_len, ..Keeper::new(Keeps::Alike) };
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.read_in_pieces(20_000);
        reader.writer_is_gone();
        while reader.poll_lean(1, most, &mut keeper).unwrap() {}
        let wrong = keeper.events.iter().zip(&all).position(|(one, other)| one != other);
        assert_eq!((keeper.events.len(), wrong), (all.len(), None), "{round_len} {most}");
        assert_eq!(reader.defects.count(), 0);
        assert!(keeper.in_rounds >= all.len() / least, "{round_len}: {} of {}", keeper.in_rounds, all.len());
    }
    // Another sink, which knows nothing of rounds, goes on.
    let mut keeper = Keeper { round_len: len, ..Keeper::new(Keeps::Alike) };
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    for enough in [1, 10_000] {
        while keeper.in_rounds < enough && reader.poll_lean(1, 700, &mut keeper).unwrap() {}
        assert!(keeper.in_rounds >= enough);
        reader.poll(1, &mut |event| keeper.events.push(event)).unwrap();
    }
    while reader.poll(1, &mut |event| keeper.events.push(event)).unwrap() {}
    assert!(keeper.events == all);
}

/// A sink that has forgotten what it kept is handed the next of those calls as a whole.
#[test]
fn calls_are_kept_anew_where_that_is_wanted() {
    let calls = windows(&mut Random(5));
    let dir = written(&calls);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    let mut keeper = Keeper::new(Keeps::Alike);
    while reader.poll_lean(1, 1000, &mut keeper).unwrap() {
        // A repeat of a call that was kept before would have nothing to be like.
        keeper.kept.clear();
        reader.keep_anew();
    }
    assert_eq!(keeper.events.len(), calls.len());
    assert!(keeper.repeats >= calls.len() / 2, "{} of {}", keeper.repeats, calls.len());
}

/// More different calls than there are slots, again and again, with large counts and negative tags; and a loop of few behind them.
#[test]
fn calls_are_what_they_were_when_slots_are_used_again() {
    let mut calls = Vec::new();
    let mut random = Random(7);
    for i in 0..60_000i64 {
        let mut call = Call::new(if i % 2 == 0 { FnId::MPI_Send_c } else { FnId::MPI_Recv_c });
        (call.outcome, call.t_call, call.t_return) = (Outcome::Returned(0), 100 * i as u64, 100 * i as u64 + 40);
        let comm = if i < 30_000 { i % 3_000 } else { i % 4 };
        let count = (1 << 33) + random.below(1 << 40) as i64;
        for (place, value) in
            [0x1000 + 8 * i, count, 2, 1, -1 - random.below(9) as i64, 1 + comm].into_iter().enumerate()
        {
            call.ins[place] = Value::Int(value);
        }
        if i % 2 == 1 {
            let status = Status { source: 1, tag: 3, bytes: Some(random.below(1 << 40)), cancelled: false };
            call.outs[6] = Value::Status(status);
        }
        calls.push(call);
    }
    let dir = written(&calls);
    let mut all = Vec::new();
    let mut whole = RankReader::open(dir.path(), 0).unwrap();
    whole.writer_is_gone();
    while whole.poll(2, &mut |e| all.push(e)).unwrap() {}
    assert_eq!(all.len(), calls.len());
    for keeps in [Keeps::Alike, Keeps::Same] {
        let mut keeper = Keeper::new(keeps);
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.writer_is_gone();
        while reader.poll_lean(1, 37, &mut keeper).unwrap() {}
        let wrong = keeper.events.iter().zip(&all).position(|(one, other)| one != other);
        assert_eq!((keeper.events.len(), wrong), (all.len(), None), "{keeps:?}");
        // All of the loop but for its beginning.
        let is_enough = keeper.repeats >= if keeps == Keeps::Alike { 27_000 } else { 0 };
        assert!(is_enough && keeper.kept.len() <= 1 << 10, "{keeps:?}: {} of {}", keeper.repeats, keeper.kept.len());
    }
}

/// Many cells may name long arrays: the memory of kept calls is bounded.
#[test]
fn calls_with_long_arrays_are_not_all_kept() {
    const LONG: usize = 5_000;
    let call = |i: i64| {
        let mut call = Call::new(FnId::MPI_Waitall);
        call.outcome = Outcome::Returned(0);
        call.ins[0] = Value::Int(i / 3);
        call.ins[1] = Value::Requests { base: 0x1000, handles: vec![7; LONG] };
        call
    };
    let calls: Vec<Call> = (0..300).map(call).collect();
    let dir = written(&calls);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    let mut keeper = Keeper::new(Keeps::Alike);
    while reader.poll_lean(1, 37, &mut keeper).unwrap() {}
    assert_eq!(keeper.events.len(), calls.len());
    let handles = |call: &Call<Args>| match &call.ins.to_values()[1] {
        Value::Requests { handles, .. } => handles.len(),
        _ => 0,
    };
    let kept: usize = keeper.kept.values().map(handles).sum();
    assert!(kept >= LONG && kept * 8 <= 1 << 20, "{kept} handles of {} calls", keeper.kept.len());
}
