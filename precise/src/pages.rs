//! Ranges of pages, and their rights.

use crate::{kernel, keys};
use std::ops::Range;

pub(crate) const PAGE: u64 = 4096;
pub(crate) const OPEN: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// Sets the rights of pages.
pub(crate) fn protect(pages: &Range<u64>, rights: i32) -> bool {
    // SAFETY: only pages that were found to be plain memory, which the program may read and write, are entered into the table.
    unsafe {
        match keys::is_there() {
            _ if pages.is_empty() => true,
            true => keys::protect(pages, rights),
            false => kernel::protect(pages.start, pages.end - pages.start, rights),
        }
    }
}

pub(crate) fn open_page(page: u64) {
    protect(&(page..page + PAGE), OPEN);
}

/// The pages that lie in a range as a whole.
pub(crate) fn whole_pages(start: u64, end: u64) -> Range<u64> {
    let first = start.saturating_add(PAGE - 1) / PAGE * PAGE;
    first..(end / PAGE * PAGE).max(first)
}

/// All pages that a range has bytes on.
pub(crate) fn all_pages(start: u64, end: u64) -> Range<u64> {
    start / PAGE * PAGE..end.saturating_add(PAGE - 1) / PAGE * PAGE
}

/// The part that two ranges have in common.
pub(crate) fn overlap(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages_alone() {
        assert_eq!(whole_pages(4096, 12288), 4096..12288);
        assert_eq!(whole_pages(4097, 12287), 8192..8192);
        assert!(whole_pages(100, 4200).is_empty() && whole_pages(4000, 4100).is_empty());
        assert!(whole_pages(u64::MAX - 10, u64::MAX).is_empty());
    }

    #[test]
    fn overlaps_are_what_both_have() {
        assert_eq!(overlap(&(10..30), &(20..40)), 20..30);
        assert!(overlap(&(10..20), &(30..40)).is_empty());
    }
}
