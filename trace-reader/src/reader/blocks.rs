//! The blocks of a rank's file, or of one of its segments, in order: headers first, payloads when they are wanted. Damage is
//! skipped.

use super::{Defect, Defects, OpenError};
use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockHeader, BlockKind, SEGMENT_HEADER_BYTES, SNAPSHOT, checksum, segment_number,
};
use trace_format::untrusted;

/// To find blocks behind damage at most this number of bytes is read, and a multiple of the bytes of the file.
const SEARCH: u64 = 64 << 20;

type Head = [u8; BLOCK_HEADER_BYTES];

/// A block whose payload was not read yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockRef {
    pub(super) header: BlockHeader,
    /// The number of its segment; 0: it is in the rank's file.
    pub(super) segment: u64,
    /// Offset of its header in the file.
    pub(super) start: u64,
}

impl BlockRef {
    /// Its place among all blocks of the rank.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.segment, self.start)
    }

    /// Does it repeat earlier definitions?
    pub(super) fn repeats(&self) -> bool {
        self.segment > 1 && self.header.kind == BlockKind::Definitions as u16 && self.header.thread == SNAPSHOT
    }

    fn end(&self) -> u64 {
        self.start + (BLOCK_HEADER_BYTES as u64) + u64::from(self.header.len)
    }
}

/// The file of one rank.
pub(super) struct Blocks {
    pub(super) rank: i32,
    /// As in [`BlockRef`].
    segment: u64,
    path: Arc<Path>,
    /// The file; closed now and then if there are many ranks: see [`Blocks::close`].
    file: OnceCell<File>,
    /// Device and number of the file that was opened first.
    identity: Option<(u64, u64)>,
    /// Its size, once nobody writes any more.
    known_size: Cell<Option<u64>>,
    /// It was a segment, and the writer has removed it while it was closed.
    is_gone: Cell<bool>,
    /// Everything was found.
    ended: bool,
    pos: u64,
    /// The header at `pos`, if it was read already.
    ahead: Option<Head>,
    /// The writer is gone: a torn tail is damage, not work in progress.
    pub(super) finished: bool,
    pub(super) defects: Defects,
    /// Bytes that were read to find blocks behind damage.
    searched: Cell<u64>,
}

impl Blocks {
    /// The blocks of `file` behind its header, which ends at `pos`.
    pub(super) fn new(rank: i32, (segment, path): (u64, PathBuf), file: File, pos: u64) -> Blocks {
        let identity = file.metadata().ok().map(|m| (m.dev(), m.ino()));
        Blocks {
            rank,
            segment,
            path: path.into(),
            file: OnceCell::from(file),
            identity,
            known_size: Cell::new(None),
            is_gone: Cell::new(false),
            ended: false,
            pos,
            ahead: None,
            finished: false,
            defects: Defects::default(),
            searched: Cell::new(0),
        }
    }

    pub(super) fn path(&self) -> &Arc<Path> {
        &self.path
    }

    pub(super) fn segment(&self) -> u64 {
        self.segment
    }

    /// Where the last block that was found ends.
    pub(super) fn position(&self) -> u64 {
        self.pos
    }

    /// The length of the file as it is seen; `None`: it cannot be asked for.
    pub(super) fn end(&self) -> Option<u64> {
        self.size().ok()
    }

    /// Bytes behind the last block that was found.
    pub(super) fn unread(&self) -> u64 {
        self.size().map_or(0, |size| size.saturating_sub(self.pos))
    }

    pub(super) fn defect(&mut self, offset: u64, what: impl Into<String>) {
        self.defects.add(Defect { rank: self.rank, offset, what: what.into() });
    }

    /// Closes the file until it is needed again.
    pub(super) fn close(&mut self) {
        self.file.take();
    }

    /// Was it removed before all of it was read?
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.get()
    }

    fn file(&self) -> Result<&File, OpenError> {
        match self.file.get() {
            Some(file) => Ok(file),
            None => self.reopen().map(|file| self.file.get_or_init(|| file)).map_err(|e| self.io_error(e)),
        }
    }

    fn reopen(&self) -> io::Result<File> {
        // A segment is gone because the writer has gone on and removed it.
        let gone = || self.is_gone.set(self.segment > 0);
        let file = untrusted::open(&self.path).inspect_err(|e| {
            if e.kind() == io::ErrorKind::NotFound {
                gone();
            }
        })?;
        let metadata = file.metadata()?;
        // A file may have the inode of one that is gone: then its number tells them apart.
        let is_same = Some((metadata.dev(), metadata.ino())) == self.identity
            && (self.segment == 0 || number_of(&file)? == Some(self.segment));
        if is_same {
            return Ok(file);
        }
        gone();
        Err(io::Error::other("another file has taken its place"))
    }

    /// The next whole block of the file; `None` at the end of what is whole. `staged` says whether there are stages,
    /// which hold what a torn block lacks.
    pub(super) fn next(&mut self, staged: impl Fn() -> bool) -> Result<Option<BlockRef>, OpenError> {
        if self.ended {
            return Ok(None);
        }
        let next = self.find_next(staged)?;
        self.ended = next.is_none() && self.finished;
        Ok(next)
    }

    fn find_next(&mut self, staged: impl Fn() -> bool) -> Result<Option<BlockRef>, OpenError> {
        loop {
            let mut head = [0; BLOCK_HEADER_BYTES];
            match self.ahead.take() {
                Some(ahead) => head = ahead,
                None => {
                    let got = self.read_at(self.pos, &mut head)?;
                    if got < BLOCK_HEADER_BYTES {
                        if got > 0 && self.finished {
                            self.torn(got as u64, &staged);
                        }
                        return Ok(None);
                    }
                }
            }
            let Some(header) = BlockHeader::from_bytes(&head) else {
                if self.skip_damage()? {
                    continue;
                }
                return Ok(None);
            };
            let block = BlockRef { header, segment: self.segment, start: self.pos };
            // The length may be damaged: nothing is allocated for what is not there.
            let size = self.size()?;
            if block.end() > size {
                if !self.finished {
                    return Ok(None);
                }
                match self.find_block()? {
                    Some(next) => self.skip_to(next),
                    None => {
                        self.torn(size.saturating_sub(self.pos), &staged);
                        return Ok(None);
                    }
                }
                continue;
            }
            // Another block must follow, so that a wrong length does not hide the blocks that it leaps over.
            let mut next = [0; BLOCK_HEADER_BYTES];
            if self.read_at(block.end(), &mut next)? == BLOCK_HEADER_BYTES {
                if BlockHeader::from_bytes(&next).is_none() && !self.is_whole(&block)? {
                    if self.skip_damage()? {
                        continue;
                    }
                    return Ok(None);
                }
                self.ahead = Some(next);
            }
            self.pos = block.end();
            return Ok(Some(block));
        }
    }

    fn is_whole(&self, block: &BlockRef) -> Result<bool, OpenError> {
        let mut payload = Vec::new();
        self.read_payload(block, &mut payload)?;
        Ok(checksum(&payload) == block.header.checksum)
    }

    pub(super) fn read_payload(&self, block: &BlockRef, out: &mut Vec<u8>) -> Result<(), OpenError> {
        // Bytes that are there already are overwritten, and not zeroed before.
        out.resize(block.header.len as usize, 0);
        let got = self.read_at(block.start + BLOCK_HEADER_BYTES as u64, out)?;
        out.truncate(got);
        Ok(())
    }

    /// Reads the payload of a block. False if it is damaged, which is noted.
    pub(super) fn payload(&mut self, block: &BlockRef, out: &mut Vec<u8>) -> Result<bool, OpenError> {
        self.read_payload(block, out)?;
        let whole = checksum(out) == block.header.checksum;
        if !whole {
            let what = if block.end() == self.size()? {
                "damaged from here to the end of the file".to_owned()
            } else {
                format!("damaged, {} bytes skipped", block.end() - block.start)
            };
            self.defect(block.start, what);
            out.clear();
        }
        Ok(whole)
    }

    fn io_error(&self, source: io::Error) -> OpenError {
        OpenError::Io { path: self.path.to_path_buf(), source }
    }

    fn size(&self) -> Result<u64, OpenError> {
        if let Some(size) = self.known_size.get() {
            return Ok(size);
        }
        // This is asked of a closed file, too, which stays closed.
        let metadata = self.file.get().map_or_else(|| std::fs::metadata(&self.path), File::metadata);
        let size = metadata.map_err(|e| self.io_error(e))?.len();
        if self.finished {
            self.known_size.set(Some(size));
        }
        Ok(size)
    }

    fn read_at(&self, pos: u64, out: &mut [u8]) -> Result<usize, OpenError> {
        let file = self.file()?;
        let mut done = 0;
        while done < out.len() {
            match file.read_at(&mut out[done..], pos + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.io_error(e)),
            }
        }
        Ok(done)
    }

    /// A block that the process could not finish writing. Its contents are in the stage, unless that is gone too.
    fn torn(&mut self, bytes: u64, staged: &dyn Fn() -> bool) {
        if !staged() {
            self.defect(
                self.pos,
                "the file ends in the middle of a block and the stage file is missing: the last events are lost",
            );
        }
        self.pos += bytes;
    }

    /// The block here is damaged: goes on with the next whole one. False if there is none.
    fn skip_damage(&mut self) -> Result<bool, OpenError> {
        match self.find_block()? {
            Some(next) => {
                self.skip_to(next);
                Ok(true)
            }
            None => {
                if self.finished {
                    self.defect(self.pos, "damaged from here to the end of the file");
                    self.pos = self.size()?;
                }
                Ok(false)
            }
        }
    }

    fn skip_to(&mut self, next: u64) {
        self.defect(self.pos, format!("damaged, {} bytes skipped", next - self.pos));
        self.pos = next;
    }

    /// Where the next whole block behind this place begins.
    fn find_block(&self) -> Result<Option<u64>, OpenError> {
        let size = self.size()?;
        let mut from = self.pos + 1;
        // Mostly it is near.
        let mut window = vec![0; 1 << 12];
        loop {
            let got = self.read_at(from, &mut window)?;
            if got < BLOCK_HEADER_BYTES {
                return Ok(None);
            }
            for (i, head) in window[..got].windows(BLOCK_HEADER_BYTES).enumerate() {
                let Some(header) = head.first_chunk().and_then(BlockHeader::from_bytes) else { continue };
                let block = BlockRef { header, segment: self.segment, start: from + i as u64 };
                if block.end() > size {
                    continue;
                }
                // Headers may claim each other's bytes: not all of them can be tried.
                let searched = self.searched.get().saturating_add(header.len.into());
                if searched > SEARCH.saturating_add(size.saturating_mul(4)) {
                    return Ok(None);
                }
                self.searched.set(searched);
                if self.is_whole(&block)? {
                    return Ok(Some(block.start));
                }
            }
            from += (got - BLOCK_HEADER_BYTES + 1) as u64;
            window.resize((window.len() * 2).min(1 << 20), 0);
        }
    }
}

/// The number that a segment has, if it is one.
pub(super) fn number_of(file: &File) -> io::Result<Option<u64>> {
    let mut head = [0; SEGMENT_HEADER_BYTES];
    match file.read_exact_at(&mut head, 0) {
        Ok(()) => Ok(segment_number(&head)),
        // It is being made, or was cut.
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(e) => Err(e),
    }
}
