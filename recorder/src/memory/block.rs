//! Blocks of memory that the program has from malloc of the GNU C library, and whether it has freed them since. The library's own
//! lists tell: a block that the program has is in none of them. They are read as they are, while other threads may change them;
//! so a block is free only where several words that lie apart say so, and whatever does not fit counts as in use. Other
//! allocators have nothing that looks like it.
//!
//! A block begins with two words before its memory: the size of the block before it if that is free, and its own size with
//! flags. A free block has in its memory a link to the next one of its list and one to the previous one, or, if a thread keeps
//! it for itself, a link to the next one that is altered by its own address, and a key that is the process's.

use super::{Region, arena, program_break, read, region};
use std::ops::Range;
use std::sync::OnceLock;

const WORD: u64 = 8;
/// Blocks are at multiples of it, and of such sizes.
const STEP: u64 = 16;
/// Bytes before the memory of a block.
const HEADER: u64 = 2 * WORD;
const SMALLEST: u64 = 32;
/// Larger blocks are kept by no thread.
const LARGEST_KEPT: u64 = 1040;
/// More blocks of one size are kept by no thread, by default.
const MOST_KEPT: usize = 16;

/// Flags of a size.
const IS_BEFORE_USED: u64 = 1;
const IS_MAPPED: u64 = 2;
const IS_OF_OTHER_ARENA: u64 = 4;
const FLAGS: u64 = STEP - 1;

/// A block of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The first address of its memory.
    memory: u64,
    /// The bytes with the words before them.
    size: u64,
    /// The first bytes of the memory are what is asked about.
    asked: u64,
    region: Region,
    /// The key of free blocks was in it already when the program had it.
    has_key: bool,
}

fn words<const N: usize>(address: u64) -> Option<[u64; N]> {
    let mut words = [[0; WORD as usize]; N];
    read(address, words.as_flattened_mut()).then(|| words.map(u64::from_ne_bytes))
}

fn size_of(head: u64) -> u64 {
    head & !FLAGS
}

impl Block {
    /// The block whose memory begins with `span`, if there certainly is one, and it is in use.
    pub fn of(span: &Range<u64>) -> Option<Block> {
        let (memory, asked) = (span.start, span.end.checked_sub(span.start)?);
        if !memory.is_multiple_of(STEP) || memory < HEADER || asked == 0 {
            return None;
        }
        let [_, head, _, key] = words(memory - HEADER)?;
        let size = size_of(head);
        let end = (memory - HEADER).checked_add(size)?;
        let region = region(&(memory - HEADER..end.checked_add(HEADER)?));
        let arena = match region {
            Region::Heap => 0,
            Region::Arena => IS_OF_OTHER_ARENA,
            _ => return None,
        };
        let block = Block { memory, size, asked, region, has_key: is_key(key) };
        // The last word of a block lies in the header of the next one.
        let is_large_enough = block.size >= SMALLEST && asked <= block.size - WORD;
        let has_flags = head & FLAGS & !IS_BEFORE_USED == arena;
        let [_, next] = words(block.next())?;
        let is_used = next & IS_BEFORE_USED != 0 && next & (IS_MAPPED | WORD) == 0 && size_of(next) >= STEP;
        (is_large_enough && has_flags && is_used).then_some(block)
    }

    /// The header of the block behind.
    fn next(&self) -> u64 {
        (self.memory - HEADER).saturating_add(self.size)
    }

    /// Is it certain that the program has freed it, and that at least a part of it is free still?
    pub fn is_free(&self) -> bool {
        let (Some(own), Some(next)) = (words(self.memory - HEADER), words(self.next())) else { return false };
        self.is_kept(own) || self.is_listed(next) || self.starts(own).into_iter().flatten().any(|at| self.is_joined(at))
    }

    /// Where a free block may begin that it was joined with others to: its own begin, and that of the block before it, if that was
    /// free when this one was freed.
    fn starts(&self, [before, head, ..]: [u64; 4]) -> [Option<u64>; 2] {
        let own = self.memory - HEADER;
        [Some(own), own.checked_sub(before).filter(|_| head & IS_BEFORE_USED == 0 && before >= SMALLEST)]
    }

    /// Is there a free block from this address on that holds this block, and is the last one of the arena or in a list of it?
    fn is_joined(&self, start: u64) -> bool {
        let Some([_, head]) = words(start) else { return false };
        let (size, end) = (size_of(head), start.saturating_add(size_of(head)));
        if head & FLAGS == IS_BEFORE_USED && size >= SMALLEST && end > self.memory && end == self.end_of_arena() {
            return true;
        }
        let is_end = |[before, next]: [u64; 2]| before == size && next & IS_BEFORE_USED == 0;
        end > self.next() && words(end).is_some_and(is_end) && is_in_list(start, size)
    }

    fn end_of_arena(&self) -> u64 {
        match self.region {
            Region::Heap => program_break(),
            _ => arena::end(self.memory).unwrap_or(0),
        }
    }

    /// Does a thread keep it for itself?
    fn is_kept(&self, [_, head, mut link, key]: [u64; 4]) -> bool {
        if self.size > LARGEST_KEPT || size_of(head) != self.size || self.has_key || !is_key(key) {
            return false;
        }
        // All of the list, up to its end, is made of such blocks.
        let mut at = self.memory;
        for _ in 0..MOST_KEPT {
            let next = link ^ (at >> 12);
            if next == 0 {
                return true;
            }
            let Some([_, head, behind, key]) = next.checked_sub(HEADER).and_then(words) else { return false };
            if !next.is_multiple_of(STEP) || size_of(head) != self.size || !is_key(key) {
                return false;
            }
            (at, link) = (next, behind);
        }
        false
    }

    /// Is a free block in a list of its arena that ends where this one ended: it, one that it was joined with, or a part of it?
    fn is_listed(&self, [before, next]: [u64; 2]) -> bool {
        let start = self.next().saturating_sub(before);
        let reaches_in = start.saturating_add(WORD) < self.memory + self.asked;
        next & IS_BEFORE_USED == 0 && reaches_in && is_in_list(start, before)
    }
}

/// Is there a free block at `start`, which its neighbours in its list know?
fn is_in_list(start: u64, size: u64) -> bool {
    if !start.is_multiple_of(STEP) || size < SMALLEST || !size.is_multiple_of(STEP) {
        return false;
    }
    let Some([_, head, next, previous]) = words(start) else { return false };
    let is_link = |link: u64| link != 0 && link != start && link.is_multiple_of(WORD);
    let leads_here = |link: u64, to: u64| link.checked_add(to).and_then(words) == Some([start]);
    head == size | IS_BEFORE_USED
        && is_link(next)
        && is_link(previous)
        && leads_here(next, HEADER + WORD)
        && leads_here(previous, HEADER)
}

/// Is it the key in blocks that threads keep?
fn is_key(word: u64) -> bool {
    static KEY: OnceLock<Option<u64>> = OnceLock::new();
    // Two sizes, so that it is no word of one of them.
    let learn = || {
        let key = key_in::<3>()?;
        (key_in::<25>()? == key && key != 0).then_some(key)
    };
    word != 0 && *KEY.get_or_init(learn) == Some(word)
}

/// The key that malloc writes into a block of `N` words when it is freed; `None` if it does not do what the GNU C library does.
fn key_in<const N: usize>() -> Option<u64> {
    let bytes = N * WORD as usize;
    let pattern = |at: usize| 0x5bd1_e995_9e37_79b1 ^ at as u64;
    // SAFETY: the block is written within its size, and given back once.
    let memory = unsafe {
        let block = libc::malloc(bytes).cast::<u64>();
        if block.is_null() {
            return None;
        }
        // Volatile, as a compiler may leave out what is written to memory that is freed.
        (0..N).for_each(|at| block.add(at).write_volatile(pattern(at)));
        let memory = std::hint::black_box(block) as u64;
        libc::free(block.cast());
        memory
    };
    let [_, head] = words(memory.checked_sub(HEADER)?)?;
    let content: [u64; N] = words(memory)?;
    let [link, key, ..] = content[..] else { return None };
    let has_size = size_of(head) == (bytes as u64 + WORD).next_multiple_of(STEP);
    let has_link = (link ^ (memory >> 12)).is_multiple_of(STEP) && link != pattern(0);
    let is_else_as_it_was = content.iter().enumerate().skip(2).all(|(at, word)| *word == pattern(at));
    (has_size && has_link && key != pattern(1) && is_else_as_it_was).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::NonNull;

    /// Memory from malloc, which the test frees.
    struct Allocated(NonNull<libc::c_void>, usize);

    impl Allocated {
        fn new(bytes: usize) -> Allocated {
            // SAFETY: it has no preconditions.
            Allocated(NonNull::new(unsafe { libc::malloc(bytes) }).unwrap(), bytes)
        }

        fn span(&self) -> Range<u64> {
            let start = self.0.as_ptr() as u64;
            start..start + self.1 as u64
        }

        fn free(self) {
            // SAFETY: it was allocated once, and `self` is gone now.
            unsafe { libc::free(self.0.as_ptr()) }
        }
    }

    /// Runs a test in a thread, which has an arena, or none of its own.
    fn apart(test: impl FnOnce() + Send + 'static) {
        std::thread::spawn(test).join().unwrap();
    }

    /// `N` blocks, each behind the one before, with others before and behind that stay.
    fn in_a_row<const N: usize>(bytes: usize) -> [Allocated; N] {
        let mut all: Vec<Allocated> = (0..20 + 5 * N).map(|_| Allocated::new(bytes)).collect();
        all.sort_by_key(|block| block.span().start);
        let size = (bytes as u64 + WORD).next_multiple_of(STEP);
        let is_row = |row: &[Allocated]| row.windows(2).all(|two| two[1].span().start - two[0].span().start == size);
        let at = all.windows(N + 2).position(is_row).unwrap();
        let row: Vec<Allocated> = all.drain(at + 1..at + 1 + N).collect();
        row.try_into().ok().unwrap()
    }

    /// The kernel's list of an arena that another test alters at the time may not fit it: then it is looked at later.
    fn block_of(span: &Range<u64>) -> Block {
        (0..3000).find_map(|_| Block::of(span)).unwrap_or_else(|| panic!("no block at {span:x?}"))
    }

    #[test]
    fn freed_blocks_of_all_sizes_are_known() {
        apart(|| {
            for bytes in [24, 100, 256, 1032, 1500, 20_000, 65_536, 100_000] {
                let [block] = in_a_row(bytes);
                let span = block.span();
                let known = block_of(&span);
                assert!(!known.is_free(), "{bytes} bytes in use");
                block.free();
                assert!(known.is_free(), "{bytes} bytes are free");
                assert!(Block::of(&span).is_none() || bytes <= 1032, "{bytes}: no block of the program");
            }
        });
    }

    #[test]
    fn the_last_block_is_known() {
        apart(|| {
            let blocks = [(); 100].map(|()| Allocated::new(60_000));
            let last = blocks.into_iter().max_by_key(|block| block.span().start).unwrap();
            let known = block_of(&last.span());
            assert!(!known.is_free());
            last.free();
            assert!(known.is_free());
        });
    }

    #[test]
    fn blocks_that_are_allocated_again_are_in_use() {
        apart(|| {
            for bytes in [256, 65_536] {
                let [block] = in_a_row(bytes);
                let span = block.span();
                let known = block_of(&span);
                block.free();
                let again = Allocated::new(bytes);
                assert_eq!(again.span(), span);
                assert!(!known.is_free(), "{bytes} bytes");
            }
        });
    }

    #[test]
    fn joined_blocks_are_free() {
        apart(|| {
            let [first, second, third] = in_a_row(30_000);
            let known = [&first, &second, &third].map(|block| block_of(&block.span()));
            first.free();
            assert_eq!(known.map(|block| block.is_free()), [true, false, false]);
            second.free();
            assert_eq!(known.map(|block| block.is_free()), [true, true, false], "one behind the other");
            third.free();
            assert_eq!(known.map(|block| block.is_free()), [true; 3], "the one between two others, too");

            let [first, second, third] = in_a_row(30_000);
            let known = [&first, &second, &third].map(|block| block_of(&block.span()));
            first.free();
            third.free();
            assert_eq!(known.map(|block| block.is_free()), [true, false, true]);
            second.free();
            assert_eq!(known.map(|block| block.is_free()), [true; 3], "joined with both at once");
        });
    }

    #[test]
    fn memory_within_a_block_is_no_block() {
        apart(|| {
            let [block] = in_a_row(65_536);
            let span = block.span();
            // SAFETY: all of the block is the test's.
            unsafe { std::ptr::write_bytes(block.0.as_ptr().cast::<u8>(), 0x31, block.1) };
            assert!((1..100).all(|at| Block::of(&(span.start + 64 * at..span.start + 64 * at + 256)).is_none()));
            let known = block_of(&(span.start..span.start + 100));
            assert!(Block::of(&(span.start..span.end + 64)).is_none(), "more than the block has");
            assert!(Block::of(&(span.start..span.start)).is_none(), "nothing");
            assert!(Block::of(&(0..64)).is_none() && Block::of(&(u64::MAX - 15..u64::MAX)).is_none());
            assert!(!known.is_free());
        });
    }

    /// A block that grows or shrinks where it is stays the program's; the part that was given back does not.
    #[test]
    fn blocks_may_change_their_size() {
        apart(|| {
            let [block, behind] = in_a_row(30_000);
            let span = block.span();
            let (all, front) = (block_of(&span), block_of(&(span.start..span.start + 10_000)));
            behind.free();
            // SAFETY: the block is the test's.
            let larger = unsafe { libc::realloc(block.0.as_ptr(), 50_000) };
            assert_eq!(larger as u64, span.start);
            assert!(!all.is_free() && !front.is_free());
            // SAFETY: as above.
            let smaller = unsafe { libc::realloc(larger, 10_000) };
            assert_eq!(smaller as u64, span.start);
            assert!(!front.is_free());
            // SAFETY: as above, and it is freed once.
            unsafe { libc::free(smaller) };
            assert!(front.is_free());
        });
    }
}
