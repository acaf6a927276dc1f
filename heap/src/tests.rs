use crate::blocks::{Block, Blocks};
use crate::callers::Callers;
use crate::early;

const HEAP: u64 = 0x5555_5555_0000;

fn found(blocks: &Blocks, address: u64) -> Option<(u64, u64)> {
    blocks.find(address).filter(|block| !block.is_freed).map(|block| (block.start, block.size))
}

#[test]
fn a_block_holds_its_bytes_and_no_more() {
    let blocks = Box::new(Blocks::new());
    assert!(!blocks.is_used() && blocks.find(HEAP).is_none());
    blocks.add(HEAP, 40, 0x1234);
    blocks.add(HEAP + 64, 100_000_000, 0);
    assert!(blocks.is_used());
    for at in [HEAP, HEAP + 1, HEAP + 39] {
        assert_eq!(found(&blocks, at), Some((HEAP, 40)));
    }
    for at in [HEAP - 1, HEAP + 40, HEAP + 63, HEAP + 64 + 100_000_000] {
        assert_eq!(found(&blocks, at), None, "{at:#x}");
    }
    // Over many chunks.
    for at in [HEAP + 64, HEAP + 64 + 99_999_999] {
        assert_eq!(found(&blocks, at), Some((HEAP + 64, 100_000_000)));
    }
    let of = |at| blocks.find(at).map(|block| block.caller);
    assert_eq!((of(HEAP), of(HEAP + 64)), (Some(0x1234), Some(0)));
}

#[test]
fn freed_blocks_are_told_unless_the_memory_is_in_another_one() {
    let blocks = Box::new(Blocks::new());
    for nth in 0..10_000 {
        blocks.add(HEAP + nth * 32, 24, 0);
    }
    for nth in 0..10_000 {
        assert!(blocks.remove(HEAP + nth * 32).is_some() && blocks.remove(HEAP + nth * 32).is_none());
    }
    let freed = Block { start: HEAP + 64, size: 24, caller: 0, is_freed: true };
    assert_eq!(blocks.find(HEAP + 64 + 23), Some(freed));
    // One over all of them: asked twice, because what is in the way is cleared away.
    blocks.add(HEAP, 320_000, 0);
    for _ in 0..2 {
        assert_eq!(found(&blocks, HEAP + 300_000), Some((HEAP, 320_000)));
    }
    blocks.remove(HEAP);
    assert!(blocks.find(HEAP + 300_000).is_some_and(|block| block.is_freed));
}

#[test]
fn what_cannot_be_is_not_told() {
    let blocks = Box::new(Blocks::new());
    blocks.add(HEAP, 1000, 0);
    // A part of it that another block says is its own.
    blocks.add(HEAP + 160, 100, 0);
    assert_eq!(found(&blocks, HEAP + 200), None);
    // But MPI_Alloc_mem may give a part of what the library allocated.
    blocks.add_exact(HEAP + 160, 100);
    assert_eq!(found(&blocks, HEAP + 200), Some((HEAP + 160, 100)));
    for (start, size) in [(0, 10), (1 << 47, 10), ((1 << 47) - 16, 100), (HEAP + 4096, u64::MAX), (u64::MAX, 1)] {
        blocks.add(start, size, 0);
        assert_eq!(found(&blocks, start), None);
    }
}

#[test]
fn a_block_may_change() {
    let blocks = Box::new(Blocks::new());
    // Allocators may give addresses of 8 bytes' alignment.
    blocks.add(HEAP + 8, 8, 0);
    assert_eq!(found(&blocks, HEAP + 15), Some((HEAP + 8, 8)));
    assert_eq!(found(&blocks, HEAP), None);
    blocks.grow(HEAP + 8, 24);
    assert_eq!(found(&blocks, HEAP + 31), Some((HEAP + 8, 24)));
    blocks.grow(HEAP + 8, 8);
    assert_eq!(found(&blocks, HEAP + 31), Some((HEAP + 8, 24)), "the program was told of them");
    assert!(blocks.remove(HEAP).is_none(), "another block of these 16 bytes");
    let before = blocks.remove(HEAP + 8).unwrap();
    assert_eq!(found(&blocks, HEAP + 8), None);
    blocks.restore(HEAP + 8, before);
    assert_eq!(found(&blocks, HEAP + 8), Some((HEAP + 8, 24)));
    // No byte belongs to it, but its address does.
    blocks.add(HEAP + 64, 0, 0);
    assert_eq!((found(&blocks, HEAP + 64), found(&blocks, HEAP + 65)), (Some((HEAP + 64, 0)), None));
}

#[test]
fn threads_find_their_own_blocks() {
    let blocks = Box::new(Blocks::new());
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let blocks = &blocks;
            scope.spawn(move || {
                let of = |nth: u64| HEAP + (nth * 4 + thread) * 48;
                for round in 0..4 {
                    for nth in 0..5000 {
                        blocks.add(of(nth), 40 + round % 8, 1 + thread);
                    }
                    for nth in 0..5000 {
                        assert_eq!(found(blocks, of(nth) + 39), Some((of(nth), 40 + round % 8)));
                        assert!(blocks.remove(of(nth)).is_some());
                    }
                }
            });
        }
    });
}

/// Against a list: whatever is allocated and freed, the answers are the same.
#[test]
fn it_says_what_a_list_would_say() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let blocks = Box::new(Blocks::new());
    let mut list: Vec<(u64, u64)> = Vec::new();
    let span = 64 << 20;
    for _ in 0..20_000 {
        let power = 1 + random(22);
        let size = 1 + random(1 << power);
        let start = HEAP + random(span) / 16 * 16;
        if list.iter().all(|(s, n)| start + size <= *s || s + n <= start) {
            blocks.add(start, size, 0);
            list.push((start, size));
        } else if !list.is_empty() {
            let (start, _) = list.swap_remove(random(list.len() as u64) as usize);
            assert!(blocks.remove(start).is_some());
        }
        let at = HEAP + random(span + 4096);
        let expected = list.iter().find(|(s, n)| (*s..s + n).contains(&at)).copied();
        assert_eq!(found(&blocks, at), expected, "{at:#x}");
    }
    assert!(list.len() > 10);
}

#[test]
fn callers_have_numbers_while_there_is_room() {
    let callers = Box::new(Callers::new());
    let numbers: Vec<u16> = (1..100_000u64).map(|nth| callers.number(nth * 13)).collect();
    assert!(numbers.iter().filter(|number| **number > 0).count() > 10_000);
    for (nth, number) in (1..100_000u64).zip(numbers) {
        assert_eq!(callers.number(nth * 13), number);
        assert!(number == 0 || callers.address(number) == nth * 13);
    }
    assert_eq!(callers.address(0), 0);
}

#[test]
fn early_memory_ends() {
    let first = early::allocate(100, 16);
    assert!(early::has(first) && early::size(first) == 100 && !early::has(std::ptr::null()));
    assert_eq!(early::allocate(10, 256) as usize % 256, 0);
    assert!(early::allocate(usize::MAX, 16).is_null() && early::allocate(1 << 20, 16).is_null());
    let all = (0..1000).filter(|_| !early::allocate(1000, 16).is_null()).count();
    assert!((10..70).contains(&all), "{all}");
}
