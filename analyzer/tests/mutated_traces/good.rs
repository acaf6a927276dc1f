//! Good traces: those of `analyzer/tests/traces/`, rank by rank, and their bytes.

use std::collections::BTreeMap;
use std::path::Path;
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockKind, Launch, PROCESS_THREAD, RankHeader, other_stem, rank_stem, trace_path,
};
use trace_format::keys::Key;
use trace_format::mpi::FnId;
use trace_format::pack::Packer;
use trace_format::writer::{definition_block, encode_definition, encode_system, file_header, seal};
use trace_reader::call::Call;
use trace_reader::reader::RankEvent;
use trace_reader::synthetic;
use trace_reader::synthetic::{encode_call, encode_return};
use trace_reader::text::parse;

/// The files of one process.
#[derive(Clone)]
pub(crate) struct Rank {
    pub(crate) header: RankHeader,
    pub(crate) events: Vec<RankEvent>,
}

/// All traces in the notation, case by case.
pub(crate) fn cases() -> Vec<Vec<Rank>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "trace"));
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    texts.flat_map(|text| of_text(&text)).collect()
}

fn of_text(text: &str) -> Vec<Vec<Rank>> {
    let cases = text.split("\n=== ").skip(1).map(|case| case.split_once('\n').map_or("", |(_, lines)| lines));
    cases.map(|case| ranks(&case.lines().filter(|l| !l.starts_with("===")).collect::<Vec<_>>().join("\n"))).collect()
}

fn ranks(text: &str) -> Vec<Rank> {
    let trace = parse(text).unwrap();
    let mut all = Vec::new();
    for (world, size) in trace.worlds.iter().enumerate() {
        all.extend((0..*size).map(|rank| Rank { header: header(world, rank, *size), events: Vec::new() }));
    }
    for (process, event) in trace.events {
        all[process as usize].events.push(event);
    }
    all
}

fn header(world: usize, rank: i32, size: i32) -> RankHeader {
    let namespace = if world == 0 { String::new() } else { format!("world {world}") };
    RankHeader {
        ticks_per_second: 1_000,
        start_unix_ns: world as u64,
        stage_bytes: 1 << 14,
        launch: Launch { namespace, spawned: world > 0, ..Launch::default() },
        ..synthetic::header(rank, size)
    }
}

/// A block before it is sealed.
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) thread: u16,
    pub(crate) lap: u64,
    /// With room for the header in front.
    pub(crate) bytes: Vec<u8>,
    /// Calls in it.
    pub(crate) calls: u64,
}

impl Block {
    pub(crate) fn sealed(mut self) -> Vec<u8> {
        seal(&mut self.bytes, self.kind, self.thread, self.lap);
        self.bytes
    }
}

impl Rank {
    pub(crate) fn stem(&self) -> String {
        let RankHeader { rank, host, start_unix_ns, .. } = &self.header;
        if *start_unix_ns == 0 { rank_stem(*rank) } else { other_stem(*rank, host, *start_unix_ns as u32) }
    }

    /// The blocks of its file: a lap has so many events at most.
    pub(crate) fn blocks(&self, lap: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut threads: BTreeMap<u16, (Vec<u8>, usize, u64)> = BTreeMap::new();
        let mut laps: BTreeMap<u16, u64> = BTreeMap::new();
        let mut open: BTreeMap<(u16, u64), FnId> = BTreeMap::new();
        let mut flush = |blocks: &mut Vec<Block>, thread: u16, (records, events, calls): (Vec<u8>, usize, u64)| {
            if events == 0 {
                return;
            }
            let packed = Packer::new(records.len()).pack(&records).map(<[u8]>::to_vec);
            let kind = if packed.is_some() { BlockKind::Packed } else { BlockKind::Events };
            let mut bytes = vec![0; BLOCK_HEADER_BYTES];
            bytes.extend(packed.unwrap_or(records));
            let number = laps.entry(thread).or_default();
            blocks.push(Block { kind, thread, lap: *number, bytes, calls });
            *number += 1;
        };
        let of_others = |event: &RankEvent| match event {
            RankEvent::Definition(_) => false,
            RankEvent::Call(Call { thread, .. })
            | RankEvent::Return { thread, .. }
            | RankEvent::System { thread, .. } => *thread != 0 && *thread != PROCESS_THREAD,
        };
        let is_alone = !self.events.iter().any(of_others);
        let mut objects = 0;
        for event in &self.events {
            let thread = match event {
                // Definitions of objects are records of a thread, or blocks where they are long.
                RankEvent::Definition(d)
                    if is_alone && Key::of(d).is_some() && {
                        objects += 1;
                        objects % 2 == 0
                    } =>
                {
                    0
                }
                RankEvent::Definition(d) => {
                    std::mem::take(&mut threads).into_iter().for_each(|(t, what)| flush(&mut blocks, t, what));
                    let bytes = definition_block(std::slice::from_ref(d)).unwrap();
                    blocks.push(Block { kind: BlockKind::Definitions, thread: 0, lap: 0, bytes, calls: 0 });
                    continue;
                }
                RankEvent::Call(call) => call.thread,
                RankEvent::Return { thread, .. } | RankEvent::System { thread, .. } => *thread,
            };
            let (records, events, calls) = threads.entry(thread).or_default();
            match event {
                RankEvent::Definition(d) => encode_definition(d, 0, records).unwrap(),
                RankEvent::Call(call) => {
                    encode_call(call, records);
                    *calls += 1 + u64::from(call.polls);
                    open.insert((thread, call.index), call.func);
                }
                RankEvent::Return { index, time, class, outs, .. } => {
                    let Some(func) = open.get(&(thread, *index)) else { continue };
                    let mut call = Call::new(*func);
                    (call.index, call.t_return, call.outs) = (*index, *time, outs.clone());
                    encode_return(&call, *class, records);
                }
                RankEvent::System { time, event, .. } => encode_system(event, *time, records),
            }
            *events += 1;
            if *events >= lap && thread != PROCESS_THREAD {
                let full = threads.remove(&thread).unwrap_or_default();
                flush(&mut blocks, thread, full);
            }
        }
        threads.into_iter().for_each(|(thread, what)| flush(&mut blocks, thread, what));
        blocks
    }

    pub(crate) fn write(&self, dir: &Path, bytes: &[u8]) {
        std::fs::write(trace_path(dir, &self.stem()), bytes).unwrap();
    }

    /// The whole file, as it should be.
    pub(crate) fn bytes(&self, lap: usize) -> Vec<u8> {
        let blocks = self.blocks(lap).into_iter().flat_map(Block::sealed);
        file_header(&self.header).into_iter().chain(blocks).collect()
    }
}
