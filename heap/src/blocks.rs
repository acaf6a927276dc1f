//! The blocks of the heap, by address: which one holds an address?
//!
//! The address space is cut into chunks of 4 MiB. A chunk in which a block begins has a word for each 16 bytes, which says all of
//! the block that begins there, and a bit for each word that was ever used, with two levels of bits above them: who looks for
//! the block that holds an address walks down from bit to bit. The words are zero pages until they are used, so that a chunk
//! with one large block takes 4 pages, and small blocks take half of their own size.
//!
//! A word is written by the thread that allocates or frees; nobody else may know the block then. The order is: a block is
//! gone before the allocator may give it to others, and is there after it was given.

mod chunk;
mod map;

use crate::callers::Callers;
use chunk::Chunk;
use map::Map;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a chunk, as a power of two.
const CHUNK_SHIFT: u32 = 22;
/// Bytes for which there is a word, as a power of two.
const GRANULE_SHIFT: u32 = 4;
/// No block ends beyond: user space has so many bytes.
const END: u64 = 1 << 47;
/// Words that are looked at to find a block.
const MOST_STEPS: u32 = 1 << 20;

/// A block, as a word of its chunk tells of it. From the lowest bit: its size (42 bits), the last four bits of its address,
/// whether it is there, whether MPI_Alloc_mem said so, and the number of its caller (16 bits). 0: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

const SIZE_BITS: u32 = 42;
const THERE: u64 = 1 << 46;
const EXACT: u64 = 1 << 47;

impl Word {
    fn new(start: u64, size: u64, caller: u16) -> Option<Word> {
        let is_small = size < 1 << SIZE_BITS && start < END && size < END - start;
        (is_small && start > 0).then_some(Word(size | (start & 15) << SIZE_BITS | THERE | u64::from(caller) << 48))
    }

    fn size(self) -> u64 {
        self.0 & ((1 << SIZE_BITS) - 1)
    }

    fn low(self) -> u64 {
        self.0 >> SIZE_BITS & 15
    }

    fn is_there(self) -> bool {
        self.0 & THERE != 0
    }

    fn caller(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

/// A block that holds an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// The return address of the call that allocated it; 0: not known.
    pub(crate) caller: u64,
    /// The program has freed it, and the memory is in no other block.
    pub(crate) is_freed: bool,
}

/// See the module.
pub(crate) struct Blocks {
    map: Map,
    callers: Callers,
    /// No block was ever larger.
    largest: AtomicU64,
}

impl Blocks {
    pub(crate) const fn new() -> Blocks {
        Blocks { map: Map::new(), callers: Callers::new(), largest: AtomicU64::new(0) }
    }

    /// Was there any block?
    pub(crate) fn is_used(&self) -> bool {
        self.largest.load(Ordering::Relaxed) > 0
    }

    /// A block was allocated. `caller`: the return address of the call; 0: not known.
    #[inline]
    pub(crate) fn add(&self, start: u64, size: u64, caller: u64) {
        let number = if caller == 0 { 0 } else { self.callers.number(caller) };
        if let Some(word) = Word::new(start, size, number) {
            self.put(start, word);
        }
    }

    /// MPI_Alloc_mem gave a block, perhaps in the middle of one that the library has allocated.
    pub(crate) fn add_exact(&self, start: u64, size: u64) {
        if let Some(word) = Word::new(start, size, 0) {
            self.put(start, Word(word.0 | EXACT));
        }
    }

    #[inline]
    fn put(&self, start: u64, word: Word) {
        let Some(chunk) = self.map.chunk_for(start >> CHUNK_SHIFT) else { return };
        chunk.put(granule(start), word);
        if word.size() > self.largest.load(Ordering::Relaxed) {
            self.largest.fetch_max(word.size(), Ordering::Relaxed);
        }
    }

    /// A block is about to be freed: what was known of it.
    #[inline]
    pub(crate) fn remove(&self, start: u64) -> Option<Word> {
        let chunk = self.map.chunk(start >> CHUNK_SHIFT)?;
        let word = chunk.word(granule(start));
        if !word.is_there() || word.low() != start & 15 {
            return None;
        }
        chunk.replace(granule(start), Word(word.0 & !THERE));
        Some(word)
    }

    /// A block was not freed after all.
    pub(crate) fn restore(&self, start: u64, word: Word) {
        if let Some(chunk) = self.map.chunk(start >> CHUNK_SHIFT) {
            chunk.replace(granule(start), word);
        }
    }

    /// The program has asked how many bytes a block has, and may use them all.
    pub(crate) fn grow(&self, start: u64, size: u64) {
        if let Some(word) = self.remove(start) {
            let grown = Word(word.0 & !((1 << SIZE_BITS) - 1) | size.max(word.size()));
            self.restore(start, if size < 1 << SIZE_BITS { grown } else { word });
        }
    }

    /// The block that holds an address, if that is certain.
    pub(crate) fn find(&self, address: u64) -> Option<Block> {
        let lowest = address.saturating_sub(self.largest.load(Ordering::Relaxed));
        let (mut found, mut freed, mut passed): (Option<Block>, Option<Block>, u32) = (None, None, 0);
        let mut below = address;
        for _ in 0..MOST_STEPS {
            let Some((granule_start, word)) = self.map.last_at_or_below(below, lowest) else {
                return self.only(found.or(freed), address, passed);
            };
            below = granule_start.wrapping_sub(1);
            let start = granule_start | word.low();
            let holds = start <= address && (address - start < word.size() || start == address);
            match (word.is_there(), holds) {
                (true, true) if word.0 & EXACT != 0 => return Some(self.block(start, word)),
                // Two blocks that hold it: one of them was freed unseen.
                (true, true) if found.is_some() => return None,
                (true, true) => found = Some(self.block(start, word)),
                (true, false) if start <= address => return self.only(found.or(freed), address, passed),
                (false, true) if found.is_none() && freed.is_none() => freed = Some(self.block(start, word)),
                _ => passed += u32::from(found.is_none()),
            }
        }
        None
    }

    /// The one that was found. The next one who asks shall not walk over so many that are no more.
    fn only(&self, found: Option<Block>, address: u64, passed: u32) -> Option<Block> {
        if let Some(Block { start, is_freed: false, .. }) = found
            && passed > 64
        {
            self.map.forget_freed(start + 16, address);
        }
        found
    }

    fn block(&self, start: u64, word: Word) -> Block {
        let caller = self.callers.address(word.caller());
        Block { start, size: word.size(), caller, is_freed: !word.is_there() }
    }
}

/// The number of an address's word in its chunk.
#[inline(always)]
fn granule(address: u64) -> usize {
    (address >> GRANULE_SHIFT) as usize % Chunk::GRANULES
}
