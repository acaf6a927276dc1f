//! Tables whose entries never move. Pages are made where an entry is used for the first time, and never freed.

use queue_table::{Communicator, Name, Operation, Pages, Text, place_of, stamp};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// An entry of a table.
///
/// # Safety
/// All of its fields are integers, those that change are atomic, and all zeros is a value.
pub(super) unsafe trait Entry: Sync + 'static {}

// SAFETY: see their fields.
unsafe impl Entry for Operation {}
// SAFETY: as above.
unsafe impl Entry for Communicator {}
// SAFETY: as above.
unsafe impl Entry for Name {}
// SAFETY: as above.
unsafe impl Entry for Text {}

/// An entry of a table that has entries of this type; `None` where there is no memory, or no room.
pub(super) fn entry<E: Entry>(table: &'static Pages, index: u64) -> Option<&'static E> {
    let (page, place) = place_of(index, table.first);
    let slot = table.pages.get(page)?;
    let mut address = slot.load(Ordering::Acquire);
    if address == 0 {
        address = make::<E>(slot, (table.first as usize).checked_shl(page as u32)?)?;
    }
    table.used.fetch_max(index + 1, Ordering::Release);
    // SAFETY: the page holds this many entries, lives for ever, and was made with zeros, which is a value of the type.
    Some(unsafe { &*(address as *const E).add(place as usize) })
}

/// Makes a page, unless another thread does.
#[cold]
fn make<E>(slot: &AtomicU64, entries: usize) -> Option<u64> {
    let layout = Layout::array::<E>(entries).ok()?;
    // SAFETY: the layout has a size.
    let page = unsafe { alloc_zeroed(layout) };
    if page.is_null() {
        return None;
    }
    match slot.compare_exchange(0, page as u64, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(page as u64),
        Err(other) => {
            // SAFETY: made above with this layout, and nobody knows of it.
            unsafe { dealloc(page, layout) };
            Some(other)
        }
    }
}

/// Changes an entry that nobody else changes at the same time, so that readers notice. `to` is one of [`stamp`].
#[inline(always)]
pub(crate) fn change(stamp: &AtomicU64, to: u64, write: impl FnOnce()) {
    let count = (stamp.load(Ordering::Relaxed) & !stamp::MASK).wrapping_add(stamp::STEP);
    stamp.store(count | stamp::WRITING, Ordering::Relaxed);
    fence(Ordering::Release);
    write();
    stamp.store(count | to, Ordering::Release);
}

/// Says that an entry is something else now, without other changes.
#[inline(always)]
pub(super) fn turn(stamp: &AtomicU64, to: u64) {
    let count = (stamp.load(Ordering::Relaxed) & !stamp::MASK).wrapping_add(stamp::STEP);
    stamp.store(count | to, Ordering::Release);
}

/// Writes a text, which comes in parts, and the zero behind it, cut if it is too long.
pub(super) fn write_text(to: &Text, parts: &[&str]) {
    let mut rest = &to[..];
    for part in parts {
        // One place is for the zero.
        let room = rest.len().saturating_sub(1);
        let end = if part.len() <= room { part.len() } else { part.floor_char_boundary(room) };
        let (places, others) = rest.split_at(end);
        for (to, from) in places.iter().zip(part.as_bytes()) {
            to.store(*from, Ordering::Relaxed);
        }
        rest = others;
        if end < part.len() {
            break;
        }
    }
    if let Some(to) = rest.first() {
        to.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    #[test]
    fn texts_end_with_a_zero_and_are_cut_between_characters() {
        let text: Text = [const { AtomicU8::new(1) }; size_of::<Text>()];
        let most = text.len() - 1;
        let read = || {
            let bytes: Vec<u8> = text.iter().map(|b| b.load(Ordering::Relaxed)).take_while(|b| *b != 0).collect();
            String::from_utf8(bytes).unwrap()
        };
        write_text(&text, &["c5", " by ", "MPI_Comm_dup"]);
        assert_eq!(read(), "c5 by MPI_Comm_dup");
        let long = "x".repeat(most);
        write_text(&text, &[&long]);
        assert_eq!(read(), long);
        write_text(&text, &[&long, "y"]);
        assert_eq!(read(), long);
        write_text(&text, &[&long[..most - 1], "é", "y"]);
        assert_eq!(read(), long[..most - 1]);
        write_text(&text, &["short"]);
        assert_eq!(read(), "short");
        write_text(&text, &[]);
        assert_eq!(read(), "");
    }
}
