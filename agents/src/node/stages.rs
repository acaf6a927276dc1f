//! A stage that a process of this node writes: copies of what it has more than it had.

use crate::wire::message::{FromAgent, Place, StageNews};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trace_format::file::{STAGE_HEADER_BYTES, STAGE_LATE_OFFSET};
use trace_format::record::{Commit, LAP_MASK, State};
use trace_format::untrusted;
use trace_reader::reader::stage::StageView;

/// While a thread goes on, its stage is copied this often, unless it goes on to another lap meanwhile: then what it held comes in
/// the file, where it is packed.
const WHILE_BUSY: Duration = Duration::from_secs(1);
/// A thread that gets no processor for a moment is not at rest.
const LOOKS: u32 = 3;
/// Bytes of a stage in one message.
const MOST: usize = 512 << 10;

pub(super) struct StageSource {
    path: PathBuf,
    pub(super) place: Place,
    view: StageView,
    room: u32,
    /// The lap that was copied last, and how many bytes of its records.
    lap: Option<u64>,
    cursor: usize,
    /// Records of it that were of calls that had not returned, with their commit words.
    open: Vec<(usize, u64)>,
    /// The page in front as it was sent last.
    header: Vec<u8>,
    /// Where its thread was at the last look.
    position: Position,
    /// Looks since then that found it there.
    looks: u32,
    /// The lap of the last time at which a copy was due, and when that was.
    due: Option<(u64, Instant)>,
    is_removed: bool,
}

impl StageSource {
    /// `None` if it cannot be read, or not yet.
    pub(super) fn open(path: PathBuf, place: Place, room: u32) -> Option<StageSource> {
        let view = StageView::new(&untrusted::open(&path).ok()?, room as usize).ok()?;
        let (lap, cursor, open, due) = (None, 0, Vec::new(), None);
        let (header, position) = (Vec::new(), Position::default());
        Some(StageSource {
            path,
            place,
            view,
            room,
            lap,
            cursor,
            open,
            header,
            position,
            looks: 0,
            due,
            is_removed: false,
        })
    }

    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    pub(super) fn remove(&self) {
        _ = std::fs::remove_file(&self.path);
    }

    pub(super) fn tell_removed(&mut self, send: &mut dyn FnMut(&FromAgent) -> io::Result<()>) -> io::Result<()> {
        if std::mem::replace(&mut self.is_removed, true) || self.lap.is_none() {
            return Ok(());
        }
        send(&FromAgent::Removed { place: self.place.clone() })
    }

    /// Has its thread done nothing in the last looks?
    pub(super) fn is_at_rest(&mut self) -> bool {
        self.looks = if self.position.advance(&self.view) { 0 } else { self.looks + 1 };
        self.looks >= LOOKS
    }

    /// The page in front, and all records of the lap. `None` if the thread goes on meanwhile.
    pub(super) fn whole(&self) -> Option<Vec<u8>> {
        let lap = self.view.lap();
        let mut bytes = self.view.header().to_vec();
        let mut record = Vec::new();
        while self.view.copy_record(bytes.len() - STAGE_HEADER_BYTES, lap, &mut record) {
            bytes.extend_from_slice(&record);
        }
        (self.view.lap() == lap).then_some(bytes)
    }

    /// The news since the last copy, if it was made long ago, or all is wanted.
    pub(super) fn copy(&mut self, all: bool) -> Option<StageNews> {
        if self.is_removed || !self.exists() {
            return None;
        }
        let lap = self.view.lap();
        if !all {
            let (before, since) = *self.due.get_or_insert((lap, Instant::now()));
            if since.elapsed() < WHILE_BUSY {
                return None;
            }
            self.due = Some((lap, Instant::now()));
            if before != lap {
                return None;
            }
        }
        self.news(lap)
    }

    fn news(&mut self, lap: u64) -> Option<StageNews> {
        let is_new_lap = self.lap != Some(lap);
        let (mut cursor, mut open) = if is_new_lap { (0, Vec::new()) } else { (self.cursor, self.open.clone()) };
        let mut record = Vec::new();
        let mut changed = Vec::new();
        for (at, commit) in &mut open {
            if self.view.load(STAGE_HEADER_BYTES + *at) == Some(*commit) {
                continue;
            }
            if !self.view.copy_record(*at, lap, &mut record) {
                return None;
            }
            *commit = commit_of(&record);
            changed.push((*at as u32, record.clone()));
        }
        open.retain(|(_, commit)| Commit::unpack(*commit).state == State::Entered as u8);
        let (at, mut records) = (cursor as u32, Vec::new());
        while records.len() < MOST && self.view.copy_record(cursor, lap, &mut record) {
            let commit = commit_of(&record);
            if Commit::unpack(commit).state == State::Entered as u8 {
                open.push((cursor, commit));
            }
            cursor += record.len();
            records.extend_from_slice(&record);
        }
        // The thread went on to the next lap: all of this one is in the file.
        if self.view.lap() != lap {
            return None;
        }
        let mut header = self.view.header().to_vec();
        // On the other side it is not late, whatever the file system is here.
        header[STAGE_LATE_OFFSET..STAGE_LATE_OFFSET + 8].fill(0);
        let header_lap = header.get(16..24).and_then(|b| b.first_chunk()).map(|b| u64::from_le_bytes(*b));
        if header_lap != Some(lap) || changed.is_empty() && records.is_empty() && header == self.header {
            return None;
        }
        (self.lap, self.cursor, self.open) = (Some(lap), cursor, open);
        self.header.clone_from(&header);
        Some(StageNews { room: self.room, header, lap, changed, at, records })
    }
}

/// The end of what a thread has recorded, and its calls that have not returned, with their commit words.
#[derive(Default)]
struct Position {
    /// `None`: nobody has looked.
    lap: Option<u64>,
    end: usize,
    open: Vec<(usize, u64)>,
}

impl Position {
    /// Goes to where the thread is now. False if it is where it was, in the calls that it was in.
    fn advance(&mut self, view: &StageView) -> bool {
        let lap = view.lap();
        let word = |at: usize| view.load(STAGE_HEADER_BYTES + at).unwrap_or(0);
        let mut is_new = self.lap != Some(lap);
        if is_new {
            *self = Position { lap: Some(lap), ..Position::default() };
        }
        let before = self.open.len();
        self.open.retain(|(at, commit)| word(*at) == *commit);
        is_new |= self.open.len() < before;
        loop {
            let value = word(self.end);
            let commit = Commit::unpack(value);
            if value == 0 || commit.lap != (lap as u32 & LAP_MASK) || commit.words < 2 {
                return is_new;
            }
            is_new = true;
            if commit.state == State::Entered as u8 {
                self.open.push((self.end, value));
            }
            self.end += commit.words as usize * 8;
        }
    }
}

fn commit_of(record: &[u8]) -> u64 {
    record.first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::StageMirror;
    use std::fs::{File, OpenOptions};
    use std::os::unix::fs::FileExt as _;
    use std::path::Path;
    use std::sync::atomic::Ordering;
    use trace_format::file::STAGE_MAGIC;
    use trace_format::stage_protocol::{self, Words};

    const ROOM: usize = 8192;

    /// A thread that writes a stage.
    struct Writer(File);

    impl Words for Writer {
        fn own(&self, at: usize) -> u64 {
            let mut bytes = [0; 8];
            self.0.read_exact_at(&mut bytes, at as u64).unwrap();
            u64::from_le_bytes(bytes)
        }

        fn store(&self, at: usize, value: u64, _: Ordering) {
            self.0.write_all_at(&value.to_le_bytes(), at as u64).unwrap();
        }

        fn fence(&self, _: Ordering) {}
    }

    impl Writer {
        /// A record of 24 bytes with this time and value.
        fn record(&self, at: usize, lap: u32, state: State, value: u64) {
            self.store(STAGE_HEADER_BYTES + at + 8, value, Ordering::Relaxed);
            self.store(STAGE_HEADER_BYTES + at + 16, !value, Ordering::Relaxed);
            let commit = Commit { func: 3, state: state as u8, words: 3, lap };
            stage_protocol::commit(self, at, at + 24, commit);
        }
    }

    /// All records of the stage's lap.
    fn records(path: &Path) -> Vec<Vec<u8>> {
        let view = StageView::new(&untrusted::open(path).unwrap(), ROOM).unwrap();
        let (mut all, mut record, mut at) = (Vec::new(), Vec::new(), 0);
        while view.copy_record(at, view.lap(), &mut record) {
            at += record.len();
            all.push(record.clone());
        }
        all
    }

    #[test]
    fn the_copy_of_a_stage_says_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let (path, copy) = (dir.path().join("rank-0.t0.stage"), dir.path().join("copy"));
        let file = OpenOptions::new().create_new(true).read(true).write(true).open(&path).unwrap();
        file.set_len((STAGE_HEADER_BYTES + ROOM) as u64).unwrap();
        file.write_all_at(&STAGE_MAGIC, 0).unwrap();
        let writer = Writer(file);
        let place = Place::new(Path::new("rank-0.t0.stage")).unwrap();
        let mut source = StageSource::open(path.clone(), place, ROOM as u32).unwrap();
        let mut mirror = StageMirror::new(&copy, ROOM as u32).unwrap();
        let mut bring = |all: bool| {
            let news = source.copy(all);
            news.iter().for_each(|news| mirror.add(news).unwrap());
            assert_eq!(records(&copy), records(&path));
            news.map_or(0, |news| news.records.len() + news.changed.len())
        };
        assert_eq!(bring(true), 0);
        writer.record(0, 0, State::Returned, 1);
        writer.record(24, 0, State::Entered, 2);
        assert_eq!(bring(true), 48);
        assert_eq!(bring(true), 0);
        // The call returns in its place.
        writer.store(STAGE_HEADER_BYTES + 40, 99, Ordering::Relaxed);
        stage_protocol::complete(&writer, 24);
        assert_eq!(bring(true), 1);
        // Another lap, shorter than the one before.
        stage_protocol::begin_lap(&writer, 1, 2);
        assert_eq!(bring(true), 0);
        writer.record(0, 1, State::Entered, 3);
        assert_eq!(bring(true), 24);
        let view = StageView::new(&untrusted::open(&copy).unwrap(), ROOM).unwrap();
        assert_eq!((view.lap(), view.calls()), (1, 2));
        // A thread that goes on all the time is copied now and then, one that rests at once.
        writer.record(24, 1, State::Returned, 4);
        assert!(!source.is_at_rest());
        assert_eq!(source.copy(false), None);
        assert!((1..LOOKS).all(|_| !source.is_at_rest()) && source.is_at_rest());
        assert!(source.copy(true).is_some_and(|news| news.records.len() == 24));
        // The thread goes on, whether what it does is copied or not: with another record, and by the return of a call.
        let rests = |source: &mut StageSource| (0..LOOKS).any(|_| source.is_at_rest());
        for at in [48, 72] {
            writer.record(at, 1, State::Entered, 5);
            assert!(!rests(&mut source) && source.is_at_rest());
        }
        stage_protocol::complete(&writer, 48);
        assert!(!rests(&mut source) && source.is_at_rest());
        let whole = source.whole().unwrap();
        assert_eq!(whole.len(), STAGE_HEADER_BYTES + 96);
    }
}
