//! The trace file of this rank: where full stages and definitions go. One write(2) a block, behind one lock; never
//! on the path of a hot call.

use crate::descriptor::{self, Identity};
use crate::file_limit::size_limit;
use crate::ring::Ring;
use crate::slow_path::{self, Reason};
use crate::{log, owner};
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use trace_format::definition::Definition;
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockHeader, BlockKind, NOT_COUNTED, PROCESS_THREAD, RankHeader, Retention, checksum,
    stage_path_of, trace_path,
};
use trace_format::keys::{self, Key};
use trace_format::pack::Packer;

/// Set when something could not be written: nothing is recorded any more.
static LOST: AtomicBool = AtomicBool::new(false);
static LOSS: OnceLock<Cow<'static, str>> = OnceLock::new();
/// See [`when_lost`].
static LISTENER: OnceLock<fn()> = OnceLock::new();
/// Descriptor of the trace for the signal handler; -1 before it is open.
static RAW_FD: AtomicI32 = AtomicI32::new(-1);

/// The trace file of this process, and what else its trace consists of.
pub struct Trace {
    file: Mutex<File>,
    /// Tells whether a descriptor is still that of the file.
    identity: Identity,
    /// Where events go if there is a limit of size.
    ring: Option<Mutex<Ring>>,
    /// Ticks by which times may differ from those measured.
    pub(crate) time_error: u64,
    /// The directory of the job.
    pub dir: PathBuf,
    /// The rank of this process.
    pub rank: i32,
    /// The beginning of the names of its files.
    pub(crate) stem: String,
    /// A directory of its own that its stages are made in.
    stage_dir: Option<PathBuf>,
    /// Where in the file the rate of the clock by the end of the run is.
    rate_at: u64,
    /// Other nodes see late what is stored to a mapped file in `dir`.
    is_late: bool,
}

static TRACE: OnceLock<Trace> = OnceLock::new();

/// The trace of this process, once recording has begun.
#[inline]
pub fn get() -> Option<&'static Trace> {
    TRACE.get()
}

/// Says that nothing more can be recorded, once.
pub fn lost(reason: &str) {
    if !is_lost() && lose(reason.to_owned()) {
        log::line(&stops(reason));
    }
}

/// Nothing more is recorded from now on. True if that is new.
pub(crate) fn lose(reason: impl Into<Cow<'static, str>>) -> bool {
    let is_new = !LOST.swap(true, Ordering::SeqCst);
    if is_new {
        slow_path::set(Reason::LOST, true);
        if let Some(listener) = LISTENER.get() {
            listener();
        }
        _ = LOSS.set(reason.into());
    }
    is_new
}

/// `listener` is called when nothing more can be recorded, maybe in a signal handler: it neither allocates nor locks.
pub fn when_lost(listener: fn()) {
    _ = LISTENER.set(listener);
}

/// The words that the user is told then.
pub(crate) fn stops(reason: &str) -> String {
    format!("recording stops here: {reason}; the program goes on, the trace holds what came before")
}

/// Why nothing more is recorded.
pub fn loss() -> String {
    LOSS.get().map(|reason| reason.to_string()).unwrap_or_default()
}

/// Is nothing recorded any more?
#[inline(always)]
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Makes this the trace of the process. `rate_at`: where in the file [`Trace::correct_rate`] writes. `is_late`: whoever follows the
/// job sees late what is stored to a mapped file in `dir`.
pub fn set(file: File, (dir, is_late): (&Path, bool), header: &RankHeader, stem: &str, rate_at: u64) -> io::Result<()> {
    let Retention { time_error_ns, max_bytes } = header.retention;
    let ring = (max_bytes > 0).then(|| Ring::new(dir.to_owned(), stem.to_owned(), max_bytes)).transpose()?;
    let time_error = u128::from(time_error_ns) * u128::from(header.ticks_per_second) / 1_000_000_000;
    let identity = Identity::of(&file, &trace_path(dir, stem))?;
    let file = descriptor::far_up(file);
    RAW_FD.store(file.as_raw_fd(), Ordering::SeqCst);
    _ = TRACE.set(Trace {
        file: Mutex::new(file),
        identity,
        ring: ring.map(Mutex::new),
        time_error: time_error as u64,
        dir: dir.to_owned(),
        rank: header.rank,
        stem: stem.to_owned(),
        stage_dir: header.apart().map(Path::to_owned),
        rate_at,
        is_late,
    });
    Ok(())
}

/// The program has freed an object.
pub fn forget(keys: &[Key]) {
    if let Some(ring) = get().and_then(|t| t.ring.as_ref()) {
        ring.lock().unwrap_or_else(|e| e.into_inner()).forget(keys);
    }
}

/// A lap of a thread's stage.
#[derive(Clone, Copy)]
pub struct Lap<'a> {
    /// The number of the thread.
    pub thread: u16,
    /// The number of the lap among those of the thread.
    pub lap: u64,
    /// CALL records of the thread in front of it.
    pub calls: u64,
    /// Its records, one behind the other.
    pub records: &'a [u8],
}

/// The packer of a thread's laps.
pub(crate) struct Packing {
    pub(crate) packer: Packer,
    /// Where the last block is.
    segment: u64,
}

impl Packing {
    pub(crate) fn new(packer: Packer) -> Packing {
        Packing { packer, segment: 0 }
    }
}

/// A descriptor of the trace file that is the trace's still, opened again if the program has closed the one before, and the size
/// of the file. Safe in a signal handler.
fn current(identity: &Identity) -> io::Result<(RawFd, u64)> {
    let fd = RAW_FD.load(Ordering::SeqCst);
    if fd < 0 {
        return Ok((fd, 0));
    }
    if let Some(size) = identity.size_by(fd) {
        return Ok((fd, size));
    }
    let (fd, size) = identity.open()?;
    RAW_FD.store(fd, Ordering::SeqCst);
    Ok((fd, size))
}

/// Forgets the descriptor: after a fork the child must not write.
pub fn detach() {
    owner::release();
    RAW_FD.store(-1, Ordering::SeqCst);
    LOST.store(true, Ordering::SeqCst);
    slow_path::set(Reason::LOST, true);
}

impl Trace {
    /// Sees to it that the descriptor is that of the trace, and returns the size of the file. `None`, and recording ends, if there
    /// is none.
    fn open(&self, file: &mut File) -> Option<u64> {
        match current(&self.identity) {
            Ok((fd, size)) if fd == file.as_raw_fd() => Some(size),
            Ok((fd, size)) if fd >= 0 => {
                // SAFETY: the descriptor was opened for the trace and belongs to nobody else.
                let again = unsafe { File::from_raw_fd(fd) };
                // The number of the old one belongs to the program, or to nobody.
                std::mem::forget(std::mem::replace(file, again));
                Some(size)
            }
            Ok(_) => None,
            Err(e) => {
                self.is_closed(&e);
                None
            }
        }
    }

    fn is_closed(&self, error: &io::Error) {
        let what = "the program has closed the trace, which cannot be opened again";
        lost(&format!("{what} in {}: {error}", self.dir.display()));
    }

    fn append(&self, parts: [&[u8]; 2]) -> bool {
        let mut file = self.file.lock().unwrap_or_else(|e| e.into_inner());
        !is_lost() && self.open(&mut file).is_some_and(|size| self.append_to(&file, size, parts))
    }

    /// Appends bytes whole to a file of this size. On failure nothing of them stays in the file and recording ends.
    fn append_to(&self, file: &File, size: u64, parts: [&[u8]; 2]) -> bool {
        if is_lost() {
            return false;
        }
        let fd = file.as_raw_fd();
        let total: usize = parts.iter().map(|p| p.len()).sum();
        // Past the limit on file sizes a write would raise SIGXFSZ, which ends the program.
        if size + total as u64 > size_limit() {
            lost(&format!("the trace in {} has reached the limit on file sizes (ulimit -f)", self.dir.display()));
            return false;
        }
        let mut done = 0;
        while done < total {
            let mut left = done;
            let vectors = parts.map(|p| {
                let skip = left.min(p.len());
                left -= skip;
                let rest = p.get(skip..).unwrap_or(&[]);
                libc::iovec { iov_base: rest.as_ptr().cast_mut().cast(), iov_len: rest.len() }
            });
            // SAFETY: the vectors point to live slices.
            let n = unsafe { libc::writev(fd, vectors.as_ptr(), vectors.len() as i32) };
            if n > 0 {
                done += n as usize;
                continue;
            }
            let error = io::Error::last_os_error();
            if error.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            if done > 0
                && let Ok(meta) = file.metadata()
            {
                _ = file.set_len(meta.len() - done as u64);
            }
            lost(&format!("cannot write the trace in {}: {error}", self.dir.display()));
            return false;
        }
        true
    }

    /// Writes a lap of a thread's stage. False if it could not be written.
    pub(crate) fn events(&self, lap: Lap, packing: &mut Packing) -> bool {
        DEFINED.store(0, Ordering::Relaxed);
        match &self.ring {
            Some(ring) => self.events_of_ring(&mut lock(ring), lap, packing),
            None => {
                let (header, payload) = lap.block(Some(&mut packing.packer));
                self.append([&header, payload])
            }
        }
    }

    /// Writes records that are in no stage, as they are. False if they could not be written.
    pub fn events_apart(&self, lap: Lap) -> bool {
        DEFINED.store(0, Ordering::Relaxed);
        let (header, payload) = lap.block(None);
        self.append([&header, payload])
    }

    fn events_of_ring(&self, ring: &mut Ring, lap: Lap, packing: &mut Packing) -> bool {
        loop {
            if packing.segment != ring.number {
                packing.packer.begin_anew();
                packing.segment = ring.number;
            }
            let (header, payload) = lap.block(Some(&mut packing.packer));
            let bytes = (header.len() + payload.len()) as u64;
            if ring.has_room(bytes) {
                ring.grew(bytes);
                return self.append_to_ring(ring, [&header, payload]);
            }
            if !self.next_segment(ring) {
                return false;
            }
        }
    }

    fn append_to_ring(&self, ring: &mut Ring, parts: [&[u8]; 2]) -> bool {
        match ring.file() {
            Ok((file, size)) => self.append_to(file, size, parts),
            Err(e) => {
                self.is_closed(&e);
                false
            }
        }
    }

    fn next_segment(&self, ring: &mut Ring) -> bool {
        let begun = ring.next();
        if let Err(e) = &begun {
            lost(&format!("cannot write the trace in {}: {e}", self.dir.display()));
        }
        SEGMENT.store(ring.number, Ordering::Relaxed);
        begun.is_ok()
    }

    /// Do others see late what is stored to a mapped file in this directory?
    pub(crate) fn is_late(&self, dir: &Path) -> bool {
        self.is_late && *dir == *self.dir
    }

    /// Where stages may be, where they should be first.
    pub(crate) fn stage_dirs(&self) -> impl Iterator<Item = &Path> {
        self.stage_dir.as_deref().into_iter().chain([&*self.dir])
    }

    /// Removes the stages of all threads; there are `count`.
    pub(crate) fn remove_stages(&self, count: u32) {
        // Readers look for them by their numbers, up to one that is not there.
        for number in (0..count).rev() {
            self.stage_dirs().for_each(|dir| _ = std::fs::remove_file(stage_path_of(dir, &self.stem, number as u16)));
        }
        if let Some(own) = &self.stage_dir {
            _ = std::fs::remove_dir(own);
        }
    }

    /// Writes down the rate of the clock by the end of the run. Where that cannot be done, the one of its beginning holds.
    pub fn correct_rate(&self, rate: u64) {
        if is_lost() {
            return;
        }
        // Not by the descriptor of the trace: that one appends, wherever it is told to write.
        let flags = libc::O_CLOEXEC | libc::O_NOFOLLOW;
        let path = trace_path(&self.dir, &self.stem);
        if let Ok(file) = File::options().write(true).custom_flags(flags).open(path)
            && self.identity.size_by(file.as_raw_fd()).is_some()
        {
            _ = file.write_all_at(&rate.to_le_bytes(), self.rate_at);
        }
    }

    /// Are events and objects in segments, of which the oldest are removed?
    pub fn has_segments(&self) -> bool {
        self.ring.is_some()
    }

    /// Writes definitions at once, so that they are in the file before any record refers to them.
    pub fn define(&self, definitions: &[Definition]) {
        let Some(ring) = &self.ring else { return self.define_in(None, definitions) };
        let (objects, others): (Vec<_>, Vec<_>) = definitions.iter().cloned().partition(keys::is_of_segment);
        if !others.is_empty() {
            self.define_in(None, &others);
        }
        if !objects.is_empty() {
            self.define_in(Some(&mut lock(ring)), &objects);
        }
    }

    fn define_in(&self, ring: Option<&mut Ring>, definitions: &[Definition]) {
        let block = trace_format::writer::definition_block(definitions);
        DEFINED.fetch_add(block.as_ref().map_or(0, Vec::len), Ordering::Relaxed);
        match (block, ring) {
            (Ok(block), None) => _ = self.append([&block, &[]]),
            (Ok(block), Some(ring)) => {
                if ring.has_room(block.len() as u64) || self.next_segment(ring) {
                    ring.grew(block.len() as u64);
                    self.append_to_ring(ring, [&block, &[]]);
                    ring.note(definitions);
                }
            }
            (Err(e), _) => lost(&e.to_string()),
        }
    }
}

/// Bytes of definitions behind the last block of events.
static DEFINED: AtomicUsize = AtomicUsize::new(0);
/// Readers hold the definitions that stand in front of a block, so that there are no more of them.
const MOST_DEFINED: usize = 4 << 20;

/// Should a stage be emptied, because much was defined since one was?
#[inline(always)]
pub fn is_heavy() -> bool {
    DEFINED.load(Ordering::Relaxed) > MOST_DEFINED
}

/// The number of the last segment that was begun after the first one.
static SEGMENT: AtomicU64 = AtomicU64::new(0);

/// See [`SEGMENT`]; always the same in a trace without a limit of size.
#[inline]
pub fn segment() -> u64 {
    SEGMENT.load(Ordering::Relaxed)
}

fn lock(ring: &Mutex<Ring>) -> MutexGuard<'_, Ring> {
    ring.lock().unwrap_or_else(|e| e.into_inner())
}

impl<'a> Lap<'a> {
    /// Header and payload of its block.
    fn block(self, packer: Option<&'a mut Packer>) -> ([u8; BLOCK_HEADER_BYTES], &'a [u8]) {
        let (kind, payload) = match packer.and_then(|p| p.pack(self.records)) {
            Some(packed) => (BlockKind::Packed, packed),
            None => (BlockKind::Events, self.records),
        };
        (block(kind, (self.thread, self.lap, self.calls), payload), payload)
    }
}

fn block(kind: BlockKind, (thread, lap, calls): (u16, u64, u64), payload: &[u8]) -> [u8; BLOCK_HEADER_BYTES] {
    let (len, checksum) = (payload.len() as u32, checksum(payload));
    BlockHeader { kind: kind as u16, thread, len, lap, calls, checksum }.to_bytes()
}

/// Most bytes of a record of the process. Signal handlers have little stack.
pub(crate) const MAX_PROCESS_RECORD: usize = 256;

/// Writes one record of the process (not of a thread) without locks or allocation: for signal handlers and exit.
pub fn process_event(record: &[u8]) {
    /// Such records of the process so far.
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let Some(trace) = get() else { return };
    let serial = SERIAL.fetch_add(1, Ordering::SeqCst);
    let header = block(BlockKind::Events, (PROCESS_THREAD, serial, NOT_COUNTED), record);
    let mut bytes = [0u8; BLOCK_HEADER_BYTES + MAX_PROCESS_RECORD];
    let total = BLOCK_HEADER_BYTES + record.len();
    let Some(place) = bytes.get_mut(..total) else { return };
    let (head, tail) = place.split_at_mut(BLOCK_HEADER_BYTES);
    head.copy_from_slice(&header);
    tail.copy_from_slice(record);
    if is_lost() {
        return;
    }
    let Ok((fd, size)) = current(&trace.identity) else { return };
    // Past the limit on file sizes a write raises SIGXFSZ, and the process would end by that.
    if fd >= 0 && size + total as u64 <= size_limit() {
        // SAFETY: the pointer and length are those of a live array; the file is open in append mode, so that one
        // write is one block.
        unsafe { libc::write(fd, bytes.as_ptr().cast(), total) };
    }
}
