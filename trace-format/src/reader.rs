//! Reads the trace of one rank, of a finished run or of one that is still going on: the blocks of the trace file,
//! then what is still in the stages. Damage is reported as a [`Defect`] and skipped; it never ends the reading.

use crate::call::{Call, Outcome, Status, SystemEvent, Value};
use crate::codec;
use crate::definition::{Definition, Id};
use crate::file::{
    BLOCK_HEADER_BYTES, BlockHeader, BlockKind, MAGIC, PROCESS_THREAD, RankHeader, STAGE_HEADER_BYTES, STAGE_MAGIC,
    VERSION, checksum, rank_of_stem, rank_stem, stage_path_of, trace_path,
};
use crate::mpi::{FnId, table_hash};
use crate::plan::{Elem, Item, Shape, plans};
use crate::record::{
    BLOB_BIT, CALL_HEADER_BYTES, Commit, LAP_MASK, MAX_DURATION, RETURN_HEADER_BYTES, STATUS_BYTES,
    SYSTEM_HEADER_BYTES, State, SystemKind, unpack_status,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

mod stage;
use stage::StageView;

/// Why the trace of a rank cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot read {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is not a trace of mpivet (it does not begin with the mark of one)")]
    NotATrace { path: PathBuf },
    #[error(
        "{path} was written by a newer mpivet (layout {found}, this one reads up to {VERSION}); use that version to analyze it"
    )]
    Newer { path: PathBuf, found: u32 },
    #[error(
        "{path} was written by mpivet {found}, whose table of MPI functions differs from that of this build; use that version to analyze it"
    )]
    OtherTable { path: PathBuf, found: String },
    #[error("{path}: the header is cut off or damaged; the rank died before it could write it, or the disk was full")]
    BadHeader { path: PathBuf },
}

/// A place in a trace that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub rank: i32,
    /// Offset in the trace file, where that is known.
    pub offset: u64,
    pub what: String,
}

/// What the reader hands over, in the order of each thread.
#[derive(Debug, Clone, PartialEq)]
pub enum RankEvent {
    Definition(Definition),
    /// A call, open or already returned.
    Call(Call),
    /// The return of a call that was handed over while open.
    Return {
        thread: u16,
        index: u64,
        time: u64,
        class: u16,
        polls: u32,
        outs: Vec<Value>,
    },
    System {
        thread: u16,
        time: u64,
        event: SystemEvent,
    },
}

/// A call handed over while it was open.
struct OpenCall {
    index: u64,
    func: FnId,
    t_call: u64,
    /// Byte offset of its record in the current lap; `None` once the lap was emptied into the file.
    offset: Option<usize>,
}

/// What a stage held at one moment.
struct Staged {
    lap: u64,
    /// Where `bytes` begin in the lap.
    offset: usize,
    /// Whole records.
    bytes: Vec<u8>,
    /// The records of calls that were open, by their offsets.
    open: Vec<(usize, Vec<u8>)>,
}

#[derive(Default)]
struct Thread {
    stage: Option<StageView>,
    /// The lap that is read next, and how far it has been read already.
    lap: u64,
    offset: usize,
    /// CALL records seen so far.
    calls: u64,
    open: Vec<OpenCall>,
}

/// Reads one rank's trace.
pub struct RankReader {
    pub header: RankHeader,
    dir: PathBuf,
    stem: String,
    file: File,
    pos: u64,
    threads: BTreeMap<u16, Thread>,
    blobs: FxHashMap<Id, Vec<u8>>,
    buffer: Vec<u8>,
    pub defects: Vec<Defect>,
    /// Events of the process as a whole, held back until what its threads did before them has been handed over.
    late: Vec<RankEvent>,
    /// The writer is gone: a torn tail is damage, not work in progress.
    finished: bool,
}

impl RankReader {
    /// Opens the trace of `rank` of the first world in `dir`.
    pub fn open(dir: &Path, rank: i32) -> Result<RankReader, OpenError> {
        RankReader::open_stem(dir, &rank_stem(rank))
    }

    /// Opens the trace whose files begin with `stem`.
    pub fn open_stem(dir: &Path, stem: &str) -> Result<RankReader, OpenError> {
        let path = trace_path(dir, stem);
        let io_error = |source| OpenError::Io { path: path.clone(), source };
        let mut file = File::open(&path).map_err(io_error)?;
        let mut head = [0; 16];
        let got = read_up_to(&mut file, &mut head).map_err(io_error)?;
        if got < 8 || head[..8] != MAGIC {
            let path = path.clone();
            return Err(if got < 8 { OpenError::BadHeader { path } } else { OpenError::NotATrace { path } });
        }
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let bad_header = || OpenError::BadHeader { path: path.clone() };
        if got < 16 {
            return Err(bad_header());
        }
        if word(8) > VERSION {
            return Err(OpenError::Newer { path: path.clone(), found: word(8) });
        }
        let len = word(12) as usize;
        if len as u64 > codec::MAX_ITEM_BYTES {
            return Err(bad_header());
        }
        let mut item = head[12..16].to_vec();
        item.resize(4 + len, 0);
        file.read_exact(&mut item[4..]).map_err(|_| bad_header())?;
        let header: RankHeader = match codec::take(&mut &item[..]) {
            Some(Ok(h)) => h,
            _ => return Err(bad_header()),
        };
        if header.table_hash != table_hash() {
            return Err(OpenError::OtherTable { path: path.clone(), found: header.mpivet });
        }
        Ok(RankReader {
            header,
            dir: dir.to_owned(),
            stem: stem.to_owned(),
            file,
            pos: 16 + len as u64,
            threads: BTreeMap::new(),
            blobs: FxHashMap::default(),
            buffer: Vec::new(),
            defects: Vec::new(),
            late: Vec::new(),
            finished: false,
        })
    }

    pub fn rank(&self) -> i32 {
        self.header.rank
    }

    /// What the names of its files begin with.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Says that the process is gone, so that what is torn now stays torn.
    pub fn writer_is_gone(&mut self) {
        self.finished = true;
    }

    /// Hands over what is new, at most about `max_blocks` blocks of the file; true if there was something.
    /// When it returns false, everything that the rank has committed was handed over.
    pub fn poll(&mut self, max_blocks: usize, sink: &mut dyn FnMut(RankEvent)) -> Result<bool, OpenError> {
        let mut any = false;
        for _ in 0..max_blocks {
            if !self.read_block(sink)? {
                // Stages are read only when the file is exhausted: their laps follow on its blocks. A definition is in
                // the file before a stage has what refers to it: so what the stages hold is handed over only when
                // the file was read once more.
                let staged = self.take_stages();
                let end = self.size()?;
                while self.pos < end && self.read_block(sink)? {
                    any = true;
                }
                any |= self.hand_over(staged, sink);
                any |= !self.late.is_empty();
                self.late.drain(..).for_each(&mut *sink);
                return Ok(any);
            }
            any = true;
        }
        Ok(any)
    }

    /// Bytes of the file that are still to be read.
    pub fn unread(&self) -> u64 {
        self.size().map_or(0, |size| size.saturating_sub(self.pos))
    }

    fn defect(&mut self, what: impl Into<String>) {
        self.defects.push(Defect { rank: self.header.rank, offset: self.pos, what: what.into() });
    }

    /// Reads the next whole block of the file. False at the end of what is whole.
    fn read_block(&mut self, sink: &mut dyn FnMut(RankEvent)) -> Result<bool, OpenError> {
        let mut head = [0; BLOCK_HEADER_BYTES];
        let got = self.read_at(self.pos, &mut head)?;
        if got < BLOCK_HEADER_BYTES {
            if got > 0 && self.finished {
                self.torn(got as u64);
            }
            return Ok(false);
        }
        let Some(block) = BlockHeader::from_bytes(&head) else {
            return self.skip_damage();
        };
        // The length may be damaged: nothing is allocated for what is not there.
        let here = self.size()?.saturating_sub(self.pos + BLOCK_HEADER_BYTES as u64);
        if u64::from(block.len) > here {
            if !self.finished {
                return Ok(false);
            }
            return match self.find_block()? {
                Some(next) => self.skip_to(next),
                None => {
                    self.torn(BLOCK_HEADER_BYTES as u64 + here);
                    Ok(false)
                }
            };
        }
        let mut payload = std::mem::take(&mut self.buffer);
        payload.clear();
        payload.resize(block.len as usize, 0);
        let got = self.read_at(self.pos + BLOCK_HEADER_BYTES as u64, &mut payload)?;
        if got < payload.len() {
            self.buffer = payload;
            return Ok(false);
        }
        if checksum(&payload) != block.checksum {
            self.buffer = payload;
            return self.skip_damage();
        }
        match block.kind {
            k if k == BlockKind::Definitions as u16 => self.definitions(&payload, sink),
            k if k == BlockKind::Events as u16 => self.lap_from_file(&block, &payload, sink),
            other => self.defect(format!("unknown kind of block {other}, skipped")),
        }
        self.pos += (BLOCK_HEADER_BYTES + payload.len()) as u64;
        self.buffer = payload;
        Ok(true)
    }

    fn io_error(&self, source: io::Error) -> OpenError {
        OpenError::Io { path: trace_path(&self.dir, &self.stem), source }
    }

    fn size(&self) -> Result<u64, OpenError> {
        self.file.metadata().map(|m| m.len()).map_err(|e| self.io_error(e))
    }

    fn read_at(&self, pos: u64, out: &mut [u8]) -> Result<usize, OpenError> {
        let mut done = 0;
        while done < out.len() {
            match self.file.read_at(&mut out[done..], pos + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.io_error(e)),
            }
        }
        Ok(done)
    }

    /// A block that the process could not finish writing. Its contents are in the stage, unless that is gone too.
    fn torn(&mut self, bytes: u64) {
        let staged =
            self.threads.values().any(|t| t.stage.is_some()) || stage_path_of(&self.dir, &self.stem, 0).exists();
        if !staged {
            self.defect(
                "the file ends in the middle of a block and the stage file is missing: the last events are lost",
            );
        }
        self.pos += bytes;
    }

    /// The block here is damaged: goes on with the next whole one, if there is one.
    fn skip_damage(&mut self) -> Result<bool, OpenError> {
        match self.find_block()? {
            Some(next) => self.skip_to(next),
            None => {
                if self.finished {
                    self.defect("damaged from here to the end of the file");
                    self.pos = self.size()?;
                }
                Ok(false)
            }
        }
    }

    fn skip_to(&mut self, next: u64) -> Result<bool, OpenError> {
        self.defect(format!("damaged, {} bytes skipped", next - self.pos));
        self.pos = next;
        Ok(true)
    }

    /// Where the next whole block behind this place begins.
    fn find_block(&self) -> Result<Option<u64>, OpenError> {
        let size = self.size()?;
        let mut from = self.pos + 1;
        let mut window = vec![0; 1 << 20];
        loop {
            let got = self.read_at(from, &mut window)?;
            if got < BLOCK_HEADER_BYTES {
                return Ok(None);
            }
            for (i, head) in window[..got].windows(BLOCK_HEADER_BYTES).enumerate() {
                let Some(block) = head.first_chunk().and_then(BlockHeader::from_bytes) else { continue };
                let start = from + i as u64;
                let behind = start + BLOCK_HEADER_BYTES as u64;
                if behind + u64::from(block.len) > size {
                    continue;
                }
                let mut payload = vec![0; block.len as usize];
                if self.read_at(behind, &mut payload)? == payload.len() && checksum(&payload) == block.checksum {
                    return Ok(Some(start));
                }
            }
            from += (got - BLOCK_HEADER_BYTES + 1) as u64;
        }
    }

    fn definitions(&mut self, mut payload: &[u8], sink: &mut dyn FnMut(RankEvent)) {
        while let Some(item) = codec::take::<Definition>(&mut payload) {
            match item {
                Ok(Definition::Blob { id, bytes }) => {
                    self.blobs.insert(id, bytes);
                }
                Ok(def) => sink(RankEvent::Definition(def)),
                Err(e) => self.defect(e.to_string()),
            }
        }
    }

    /// One lap of a stage, as written to the file. Part of it may have been read from the stage before.
    fn lap_from_file(&mut self, block: &BlockHeader, payload: &[u8], sink: &mut dyn FnMut(RankEvent)) {
        let mut thread = self.threads.remove(&block.thread).unwrap_or_default();
        if block.lap < thread.lap {
            self.defect(format!("lap {} of thread {} appears twice, skipped", block.lap, block.thread));
            self.threads.insert(block.thread, thread);
            return;
        }
        if block.lap > thread.lap {
            self.defect(format!("laps {} to {} of thread {} are missing", thread.lap, block.lap - 1, block.thread));
            thread.offset = 0;
            thread.lap = block.lap;
            thread.open.iter_mut().for_each(|o| o.offset = None);
        }
        let mut late = Vec::new();
        let held_back = block.thread == PROCESS_THREAD;
        let mut sink = |event| if held_back { late.push(event) } else { sink(event) };
        let mut parse = Parse { blobs: &self.blobs, thread: &mut thread, number: block.thread, sink: &mut sink };
        let mut what = parse.update_open(&|offset, out| copy_record(payload, offset, out));
        while parse.thread.offset < payload.len() {
            let offset = parse.thread.offset;
            let words = record_words(payload, offset);
            let end = offset + words * 8;
            if words < 2 || end > payload.len() {
                what = Some(format!("record of {words} words at {offset} of a block of {} bytes", payload.len()));
                break;
            }
            if let Err(e) = parse.record(&payload[offset..end], offset) {
                what = Some(e);
            }
            parse.thread.offset = end;
        }
        self.late.append(&mut late);
        thread.lap = block.lap + 1;
        thread.offset = 0;
        thread.open.iter_mut().for_each(|o| o.offset = None);
        self.threads.insert(block.thread, thread);
        if let Some(what) = what {
            self.defect(format!("damaged record: {what}"));
        }
    }

    /// What the stages of all threads hold beyond what was read.
    fn take_stages(&mut self) -> Vec<(u16, Staged)> {
        self.find_stages();
        let mut taken = Vec::new();
        for (&number, thread) in &self.threads {
            let Some(stage) = &thread.stage else { continue };
            let lap = stage.lap();
            let mut staged = Staged { lap, offset: thread.offset, bytes: Vec::new(), open: Vec::new() };
            if lap == thread.lap {
                let mut record = Vec::new();
                for offset in thread.open.iter().filter_map(|o| o.offset) {
                    if stage.copy_record(offset, lap, &mut record) {
                        staged.open.push((offset, record.clone()));
                    }
                }
                while stage.copy_record(thread.offset + staged.bytes.len(), lap, &mut record) {
                    staged.bytes.extend_from_slice(&record);
                }
            }
            taken.push((number, staged));
        }
        taken
    }

    /// Hands over what was taken from the stages. True if there was something, or is by now.
    fn hand_over(&mut self, staged: Vec<(u16, Staged)>, sink: &mut dyn FnMut(RankEvent)) -> bool {
        let mut any = false;
        for (number, staged) in staged {
            let Some(mut thread) = self.threads.remove(&number) else { continue };
            match self.lap_from_stage(&staged, &mut thread, number, sink) {
                Ok(n) => any |= n,
                Err(what) => self.defect(format!("stage of thread {number}: {what}")),
            }
            self.threads.insert(number, thread);
        }
        any
    }

    fn find_stages(&mut self) {
        for number in 0..=u16::MAX {
            let known = self.threads.get(&number).is_some_and(|t| t.stage.is_some());
            if known {
                continue;
            }
            let path = stage_path_of(&self.dir, &self.stem, number);
            let Ok(file) = File::open(&path) else { break };
            match StageView::new(&file, self.header.stage_bytes as usize) {
                Ok(view) if view.magic() == STAGE_MAGIC => {
                    self.threads.entry(number).or_default().stage = Some(view);
                }
                Ok(_) => {}
                Err(e) if self.finished => self.defect(format!("{}: {e}", path.display())),
                Err(_) => {}
            }
        }
    }

    fn lap_from_stage(
        &mut self,
        staged: &Staged,
        thread: &mut Thread,
        number: u16,
        sink: &mut dyn FnMut(RankEvent),
    ) -> Result<bool, String> {
        let lap = staged.lap;
        if lap > thread.lap && self.finished {
            let missing = format!("laps {} to {} are in neither file", thread.lap, lap - 1);
            thread.lap = lap;
            thread.offset = 0;
            thread.open.iter_mut().for_each(|o| o.offset = None);
            return Err(missing);
        }
        if (lap, staged.offset) != (thread.lap, thread.offset) {
            // Newer: the block of the old lap is in the file by now and is read at the next poll. Older: the lap came
            // from the file meanwhile, or the process died between writing the block and starting the next lap.
            return Ok(lap >= thread.lap);
        }
        let mut parse = Parse { blobs: &self.blobs, thread, number, sink };
        let before = parse.thread.open.len();
        let reread = |offset: usize, out: &mut Vec<u8>| {
            out.clear();
            if let Some((_, record)) = staged.open.iter().find(|(at, _)| *at == offset) {
                out.extend_from_slice(record);
            }
        };
        let mut damage = parse.update_open(&reread);
        let mut any = parse.thread.open.len() != before;
        let mut rest = &staged.bytes[..];
        while let Some(record) = rest.get(..record_words(rest, 0) * 8).filter(|r| !r.is_empty()) {
            let offset = parse.thread.offset;
            let result = parse.record(record, offset);
            // A damaged record is told once and left behind.
            parse.thread.offset = offset + record.len();
            rest = &rest[record.len()..];
            any = true;
            damage = damage.or(result.err());
        }
        damage.map_or(Ok(any), Err)
    }
}

fn read_up_to(file: &mut File, out: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < out.len() {
        match file.read(&mut out[done..])? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done)
}

fn record_words(bytes: &[u8], offset: usize) -> usize {
    match bytes.get(offset..offset + 8).and_then(|b| b.first_chunk::<8>()) {
        Some(word) => Commit::unpack(u64::from_le_bytes(*word)).words as usize,
        None => 0,
    }
}

/// Copies the record at `offset` of a lap that is in the file.
fn copy_record(payload: &[u8], offset: usize, out: &mut Vec<u8>) {
    out.clear();
    if let Some(bytes) = payload.get(offset..offset + record_words(payload, offset) * 8) {
        out.extend_from_slice(bytes);
    }
}

/// Decodes records of one thread.
struct Parse<'a> {
    blobs: &'a FxHashMap<Id, Vec<u8>>,
    thread: &'a mut Thread,
    number: u16,
    sink: &'a mut dyn FnMut(RankEvent),
}

impl Parse<'_> {
    /// Looks again at open calls whose record is in the current lap: they may have been completed in place.
    fn update_open(&mut self, read: &dyn Fn(usize, &mut Vec<u8>)) -> Option<String> {
        let mut what = None;
        let mut bytes = Vec::new();
        for open in std::mem::take(&mut self.thread.open) {
            let Some(offset) = open.offset else {
                self.thread.open.push(open);
                continue;
            };
            read(offset, &mut bytes);
            let state = bytes.first_chunk::<8>().map(|w| Commit::unpack(u64::from_le_bytes(*w)).state);
            if state != Some(State::Returned as u8) {
                self.thread.open.push(open);
                continue;
            }
            match decode_call(open.func, &bytes, self.blobs) {
                Ok(call) => {
                    let Outcome::Returned(class) = call.outcome else { continue };
                    (self.sink)(RankEvent::Return {
                        thread: self.number,
                        index: open.index,
                        time: call.t_return,
                        class,
                        polls: call.polls,
                        outs: call.outs,
                    });
                }
                Err(e) => what = Some(e),
            }
        }
        what
    }

    fn record(&mut self, bytes: &[u8], offset: usize) -> Result<(), String> {
        let commit = Commit::unpack(u64_at(bytes, 0));
        match commit.state {
            s if s == State::Entered as u8 || s == State::Returned as u8 => {
                let func = FnId::from_index(commit.func as usize).ok_or("unknown function")?;
                let index = self.thread.calls;
                self.thread.calls += 1;
                let mut call = decode_call(func, bytes, self.blobs)?;
                call.thread = self.number;
                call.index = index;
                if call.is_open() {
                    self.thread.open.push(OpenCall { index, func, t_call: call.t_call, offset: Some(offset) });
                }
                (self.sink)(RankEvent::Call(call));
            }
            s if s == State::Return as u8 => {
                if bytes.len() < RETURN_HEADER_BYTES {
                    return Err("short return record".into());
                }
                let (time, index, class) = (u64_at(bytes, 8), u64_at(bytes, 16), u64_at(bytes, 24) as u16);
                let Some(place) = self.thread.open.iter().position(|o| o.index == index) else {
                    return Err(format!("return of call {index}, which is not open"));
                };
                let open = self.thread.open.remove(place);
                let mut cells = Cells { bytes, at: RETURN_HEADER_BYTES, blobs: self.blobs };
                let mut outs = vec![Value::None; open.func.row().params.len()];
                for item in &plans()[open.func.index()].outs {
                    outs[item.param] = cells.item(item)?;
                }
                let time = time.max(open.t_call);
                (self.sink)(RankEvent::Return { thread: self.number, index, time, class, polls: 0, outs });
            }
            s if s == State::System as u8 => {
                let (time, event) = decode_system(commit.func, bytes)?;
                (self.sink)(RankEvent::System { thread: self.number, time, event });
            }
            other => return Err(format!("unknown state {other}")),
        }
        Ok(())
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.first_chunk::<8>()).map_or(0, |b| u64::from_le_bytes(*b))
}

fn decode_call(func: FnId, bytes: &[u8], blobs: &FxHashMap<Id, Vec<u8>>) -> Result<Call, String> {
    if bytes.len() < CALL_HEADER_BYTES {
        return Err("short call record".into());
    }
    let commit = Commit::unpack(u64_at(bytes, 0));
    let plan = &plans()[func.index()];
    let mut call = Call::new(func);
    call.t_call = u64_at(bytes, 8);
    call.site = u32_at(bytes, 24);
    call.polls = u32_at(bytes, 28);
    let mut cells = Cells { bytes, at: CALL_HEADER_BYTES, blobs };
    for item in &plan.ins {
        call.ins[item.param] = cells.item(item)?;
    }
    if commit.state == State::Returned as u8 {
        let word = u64_at(bytes, 16);
        call.outcome = Outcome::Returned((word >> 48) as u16);
        call.t_return = call.t_call + (word & MAX_DURATION);
        for item in &plan.outs {
            call.outs[item.param] = cells.item(item)?;
        }
    }
    Ok(call)
}

fn decode_system(kind: u16, bytes: &[u8]) -> Result<(u64, SystemEvent), String> {
    let at = SYSTEM_HEADER_BYTES;
    let text = |at: usize| {
        let len = u32_at(bytes, at) as usize;
        let text = bytes.get(at + 4..at + 4 + len).unwrap_or(&[]);
        String::from_utf8_lossy(text).into_owned()
    };
    let event = match kind {
        k if k == SystemKind::Exit as u16 => SystemEvent::Exit { status: u32_at(bytes, at) as i32 },
        k if k == SystemKind::Signal as u16 => SystemEvent::Signal {
            signal: u32_at(bytes, at) as i32,
            code: u32_at(bytes, at + 4) as i32,
            pc: u64_at(bytes, at + 8),
            address: u64_at(bytes, at + 16),
        },
        k if k == SystemKind::MpiError as u16 => SystemEvent::MpiError {
            call: u64_at(bytes, at),
            class: u32_at(bytes, at + 8) as u16,
            fatal: u32_at(bytes, at + 12) != 0,
            text: text(at + 16),
        },
        k if k == SystemKind::Lost as u16 => SystemEvent::Lost { reason: text(at) },
        k if k == SystemKind::Recording as u16 => SystemEvent::Recording { on: u32_at(bytes, at) != 0 },
        other => return Err(format!("unknown system record {other}")),
    };
    Ok((u64_at(bytes, 8), event))
}

/// Takes the values of a record one after the other.
struct Cells<'a> {
    bytes: &'a [u8],
    at: usize,
    blobs: &'a FxHashMap<Id, Vec<u8>>,
}

impl Cells<'_> {
    fn take(&mut self, n: usize) -> Result<&[u8], String> {
        let bytes = self.bytes.get(self.at..self.at + n).ok_or("record is too short for its function")?;
        self.at += n;
        Ok(bytes)
    }

    fn elem(&mut self, elem: Elem) -> Result<i64, String> {
        Ok(one(elem, self.take(elem.width())?))
    }

    fn status(&mut self) -> Result<Status, String> {
        let bytes = self.take(STATUS_BYTES)?.first_chunk().ok_or("short status")?;
        Ok(unpack_status(bytes))
    }

    /// Length, then that many bytes times `width`, inline or from a blob.
    fn array(&mut self, width: usize) -> Result<&[u8], String> {
        let len = u32_at(self.take(4)?, 0);
        if len & BLOB_BIT == 0 {
            return self.take(len as usize * width);
        }
        let id = len & !BLOB_BIT;
        self.blobs.get(&id).map(Vec::as_slice).ok_or_else(|| format!("blob {id} is missing"))
    }

    fn item(&mut self, item: &Item) -> Result<Value, String> {
        Ok(match item.shape {
            Shape::Arg(Elem::Status) | Shape::Deref(Elem::Status) => Value::Status(self.status()?),
            Shape::Arg(elem) | Shape::Deref(elem) => Value::Int(self.elem(elem)?),
            Shape::SlotAndDeref(elem) => {
                let slot = u64_at(self.take(8)?, 0);
                Value::Request { slot, handle: self.elem(elem)? }
            }
            Shape::Array { elem: Elem::Status, .. } => {
                let bytes = self.array(STATUS_BYTES)?;
                Value::Statuses(bytes.as_chunks::<STATUS_BYTES>().0.iter().map(unpack_status).collect())
            }
            Shape::Array { elem, .. } => Value::Ints(many(elem, self.array(elem.width())?)),
            Shape::SlotAndArray { elem, .. } => {
                let base = u64_at(self.take(8)?, 0);
                Value::Requests { base, handles: many(elem, self.array(elem.width())?) }
            }
            Shape::Str { .. } | Shape::StrArray { .. } => {
                Value::Str(String::from_utf8_lossy(self.array(1)?).into_owned())
            }
        })
    }
}

fn one(elem: Elem, bytes: &[u8]) -> i64 {
    match elem {
        Elem::I32(_) => u32_at(bytes, 0) as i32 as i64,
        Elem::Handle(_) => i64::from(u32_at(bytes, 0)),
        _ => u64_at(bytes, 0) as i64,
    }
}

fn many(elem: Elem, bytes: &[u8]) -> Vec<i64> {
    bytes.chunks_exact(elem.width()).map(|b| one(elem, b)).collect()
}

/// Stems of the trace files in `dir`, by rank, the plain ones first.
pub fn traces_in(dir: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name();
        let Some(stem) = name.to_str().and_then(|n| n.strip_suffix(".mpv")) else { continue };
        found.extend(rank_of_stem(stem).map(|(rank, plain)| (rank, !plain, stem.to_owned())));
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, _, stem)| stem).collect())
}

const _: () = assert!(LAP_MASK == 0xff_ffff && STAGE_HEADER_BYTES.is_multiple_of(4096));
