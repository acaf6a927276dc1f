//! Reads the bytes of a buffer in typemap order, as MPI_Pack would put them one after the other.

use crate::buffer::Buffer;
use crate::shape::{Kind, Shape};
use std::mem::MaybeUninit;

/// `rows` runs of `length` bytes, `stride` bytes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rows {
    start: i64,
    length: u64,
    stride: i64,
    rows: u64,
}

/// `count` copies of a shape.
#[derive(Clone, Copy)]
struct Copies<'a> {
    shape: &'a Shape,
    base: i64,
    stride: i64,
    count: u64,
}

impl Copies<'_> {
    fn at(&self, copy: u64) -> i64 {
        self.base.wrapping_add(self.stride.wrapping_mul(copy as i64))
    }

    /// Visits the bytes from `from` to before `to` of the packed data.
    fn visit(self, from: u64, to: u64, visit: &mut impl FnMut(Rows)) {
        let size = self.shape.size;
        if from >= to || size == 0 {
            return;
        }
        if self.shape.dense {
            return self.visit_dense(from, to, visit);
        }
        for copy in from / size..=(to - 1) / size {
            let (base, before) = (self.at(copy), copy * size);
            let (from, to) = (from.saturating_sub(before), (to - before).min(size));
            match &self.shape.kind {
                Kind::Repeat { child, count, stride } => {
                    Copies { shape: child, base, stride: *stride, count: *count }.visit(from, to, visit);
                }
                Kind::List(parts) => {
                    let first = parts.partition_point(|p| p.bytes_before <= from).saturating_sub(1);
                    for p in parts.get(first..).unwrap_or_default().iter().take_while(|p| p.bytes_before < to) {
                        let from = from.saturating_sub(p.bytes_before);
                        let to = (to - p.bytes_before).min(p.child.size * p.count);
                        let base = base.wrapping_add(p.displacement);
                        Copies { shape: &p.child, base, stride: p.stride, count: p.count }.visit(from, to, visit);
                    }
                }
                // These are dense.
                Kind::Empty | Kind::Basic(_) => {}
            }
        }
    }

    /// Copies that are one run each.
    fn visit_dense(self, mut from: u64, to: u64, visit: &mut impl FnMut(Rows)) {
        let size = self.shape.size;
        let run = |start: i64, length: u64| Rows { start, length, stride: 0, rows: 1 };
        let low = self.shape.low;
        if self.count == 1 || self.stride == size as i64 {
            return visit(run(self.base.wrapping_add(low).wrapping_add(from as i64), to - from));
        }
        let cut = from % size;
        if cut > 0 {
            let length = (size - cut).min(to - from);
            visit(run(self.at(from / size).wrapping_add(low).wrapping_add(cut as i64), length));
            from += length;
        }
        let (whole, rest) = ((to - from) / size, (to - from) % size);
        let start = self.at(from / size).wrapping_add(low);
        if whole > 0 {
            visit(Rows { start, length: size, stride: self.stride, rows: whole });
        }
        if rest > 0 {
            visit(run(start.wrapping_add(self.stride.wrapping_mul(whole as i64)), rest));
        }
    }
}

fn visit_rows(buffer: &Buffer, from: u64, to: u64, mut visit: impl FnMut(Rows)) {
    match &buffer.layout {
        None => visit(Rows { start: buffer.low.wrapping_add(from as i64), length: to - from, stride: 0, rows: 1 }),
        Some(l) => {
            let copies = Copies { shape: &l.map.shape, base: l.address, stride: l.map.extent(), count: l.count };
            copies.visit(from, to, &mut visit);
        }
    }
}

/// Bytes that are collected before they are handed on.
pub(super) const SCRATCH: usize = 4096;

/// Hands the bytes from `from` to before `to` (at most the size of the buffer) of the packed data to `take`, in pieces:
/// one piece if they are a run of memory, or no more than [`SCRATCH`].
///
/// # Safety
/// All bytes of the buffer must be readable. If others write them meanwhile, what is read is arbitrary.
pub(super) unsafe fn pieces(buffer: &Buffer, from: u64, to: u64, mut take: impl FnMut(&[u8])) {
    let to = to.min(buffer.size());
    if from >= to {
        return take(&[]);
    }
    let mut scratch = [MaybeUninit::<u8>::uninit(); SCRATCH];
    let mut used = 0;
    let all = (to - from) as usize;
    visit_rows(buffer, from, to, |rows| {
        let length = rows.length as usize;
        for row in 0..rows.rows {
            let start = rows.start.wrapping_add(rows.stride.wrapping_mul(row as i64)) as usize as *const u8;
            if length == all || length >= SCRATCH {
                // SAFETY: the first `used` bytes were written.
                take_scratch(unsafe { scratch[..used].assume_init_ref() }, &mut take);
                used = 0;
                // SAFETY: the bytes of a row are bytes of the buffer; the caller promises that they are readable.
                take(unsafe { std::slice::from_raw_parts(start, length) });
                continue;
            }
            let mut done = 0;
            while done < length {
                let n = (length - done).min(SCRATCH - used);
                // SAFETY: readable as above; `used + n` is at most the length of the scratch, which nobody else knows.
                unsafe { copy(start.add(done), scratch.as_mut_ptr().add(used).cast(), n) };
                (done, used) = (done + n, used + n);
                if used == SCRATCH {
                    // SAFETY: all of it was written.
                    take(unsafe { scratch.assume_init_ref() });
                    used = 0;
                }
            }
        }
    });
    // SAFETY: the first `used` bytes were written.
    take_scratch(unsafe { scratch[..used].assume_init_ref() }, &mut take);
}

fn take_scratch(bytes: &[u8], take: &mut impl FnMut(&[u8])) {
    if !bytes.is_empty() {
        take(bytes);
    }
}

/// Copies without a call for the most frequent sizes.
///
/// # Safety
/// As `copy_nonoverlapping`.
unsafe fn copy(from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise; arrays of bytes have no alignment.
    unsafe {
        match n {
            4 => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            8 => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            16 => to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read()),
            _ => std::ptr::copy_nonoverlapping(from, to, n),
        }
    }
}
