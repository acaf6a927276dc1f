//! Reads the bytes of a buffer in typemap order, as MPI_Pack would put them one after the other.

use crate::buffer::{Buffer, Layout};
use crate::shape::{Kind, Shape};
use std::mem::MaybeUninit;

/// `rows` runs of `length` bytes, `stride` bytes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Vector {
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
    fn visit(self, from: u64, to: u64, visit: &mut impl FnMut(Vector)) {
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
    fn visit_dense(self, mut from: u64, to: u64, visit: &mut impl FnMut(Vector)) {
        let size = self.shape.size;
        let run = |start: i64, length: u64| Vector { start, length, stride: 0, rows: 1 };
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
            visit(Vector { start, length: size, stride: self.stride, rows: whole });
        }
        if rest > 0 {
            visit(run(start.wrapping_add(self.stride.wrapping_mul(whole as i64)), rest));
        }
    }
}

fn visit_rows(layout: &Layout, from: u64, to: u64, mut visit: impl FnMut(Vector)) {
    let (shape, base) = (&*layout.map.shape, layout.address);
    Copies { shape, base, stride: layout.map.extent(), count: layout.count }.visit(from, to, &mut visit);
}

/// Bytes that are collected before they are handed on.
pub(super) const SCRATCH: usize = 4096;

/// Hands the bytes from `from` to before `to` (at most the size of the buffer) of the packed data to `take`, in pieces:
/// one piece if they are a run of memory, or no more than [`SCRATCH`].
///
/// # Safety
/// All bytes of the buffer must be readable. If others write them meanwhile, what is read is arbitrary.
#[inline]
pub(super) unsafe fn pieces(buffer: &Buffer, from: u64, to: u64, mut take: impl FnMut(&[u8])) {
    let to = to.min(buffer.size());
    match &buffer.layout {
        _ if from >= to => take(&[]),
        // SAFETY: these are bytes of the buffer.
        None => take(unsafe { memory(buffer.low.wrapping_add(from as i64), (to - from) as usize) }),
        // SAFETY: the caller's promise.
        Some(layout) => unsafe { gather(layout, from, to, &mut take) },
    }
}

/// # Safety
/// The bytes must be readable for as long as the result is used.
unsafe fn memory<'a>(start: i64, length: usize) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start as usize as *const u8, length) }
}

/// Bytes that were collected and not yet handed on.
struct Scratch<'a> {
    bytes: &'a mut [MaybeUninit<u8>; SCRATCH],
    /// Number of bytes written.
    used: usize,
}

impl Scratch<'_> {
    fn hand_on(&mut self, take: &mut impl FnMut(&[u8])) {
        if self.used > 0 {
            // SAFETY: the first `used` bytes were written.
            take(unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.used) });
            self.used = 0;
        }
    }

    /// Copies rows without handing them on; there must be room for them.
    ///
    /// # Safety
    /// The rows must be readable.
    unsafe fn collect(&mut self, rows: Vector) {
        let length = rows.length as usize;
        if length == 0 || rows.rows == 0 {
            return;
        }
        let Some(room) = self.bytes.get_mut(self.used..self.used + length * rows.rows as usize) else {
            return;
        };
        self.used += room.len();
        // The most frequent sizes need no call.
        // SAFETY: the caller's promise; the room has the length of all rows together.
        unsafe {
            match length {
                4 => copy_rows::<[u8; 4]>(rows, room),
                8 => copy_rows::<[u8; 8]>(rows, room),
                16 => copy_rows::<[u8; 16]>(rows, room),
                24 => copy_rows::<[u8; 24]>(rows, room),
                _ => {
                    for (row, to) in (0..rows.rows).zip(room.chunks_exact_mut(length)) {
                        std::ptr::copy_nonoverlapping(rows.address(row), to.as_mut_ptr().cast(), length);
                    }
                }
            }
        }
    }
}

impl Vector {
    fn address(&self, row: u64) -> *const u8 {
        self.start.wrapping_add(self.stride.wrapping_mul(row as i64)) as usize as *const u8
    }
}

/// # Safety
/// The rows must be readable and of the size of `T`, which must be an array of bytes.
unsafe fn copy_rows<T>(rows: Vector, room: &mut [MaybeUninit<u8>]) {
    for (row, to) in (0..rows.rows).zip(room.chunks_exact_mut(size_of::<T>())) {
        // SAFETY: the caller's promise; arrays of bytes have no alignment.
        unsafe { to.as_mut_ptr().cast::<T>().write(rows.address(row).cast::<T>().read()) };
    }
}

/// [`pieces`] of what is not plain memory.
///
/// # Safety
/// As for [`pieces`].
#[inline(never)]
unsafe fn gather(layout: &Layout, from: u64, to: u64, take: &mut impl FnMut(&[u8])) {
    // By reference, as moving it would copy all of it.
    let mut scratch = Scratch { bytes: &mut [const { MaybeUninit::uninit() }; SCRATCH], used: 0 };
    let all = to - from;
    visit_rows(layout, from, to, |mut rows| {
        if rows.length == all || rows.length >= SCRATCH as u64 {
            scratch.hand_on(take);
            for row in 0..rows.rows {
                // SAFETY: the bytes of a row are bytes of the buffer; the caller promises that they are readable.
                take(unsafe { memory(rows.address(row) as i64, rows.length as usize) });
            }
            return;
        }
        while rows.rows > 0 {
            let room = (SCRATCH - scratch.used) as u64;
            let n = (room / rows.length).min(rows.rows);
            // SAFETY: as above.
            unsafe { scratch.collect(Vector { rows: n, ..rows }) };
            rows.start = rows.start.wrapping_add(rows.stride.wrapping_mul(n as i64));
            rows.rows -= n;
            if rows.rows == 0 {
                break;
            }
            // The next row does not fit: its first part does.
            let first = SCRATCH - scratch.used;
            let rest = rows.length - first as u64;
            // SAFETY: as above.
            unsafe { scratch.collect(Vector { length: first as u64, rows: 1, ..rows }) };
            scratch.hand_on(take);
            let after = Vector { start: rows.start.wrapping_add(first as i64), length: rest, stride: 0, rows: 1 };
            // SAFETY: as above.
            unsafe { scratch.collect(after) };
            rows.start = rows.start.wrapping_add(rows.stride);
            rows.rows -= 1;
        }
    });
    scratch.hand_on(take);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typemap::Typemap;
    use trace_format::definition::Combiner;

    /// Pieces of every part of the data, also of those longer than the scratch, are the data.
    #[test]
    fn parts_of_strided_memory() {
        // Miri takes its time.
        let most = if cfg!(miri) { 9_000 } else { 180_000 };
        let bytes: Vec<u8> = (0..200_000u32).map(|i| ((i * 7919) >> 5) as u8).collect();
        let byte = Typemap::named(11, 1);
        for (length, stride) in
            [(1, 2), (4, 7), (7, 9), (8, 16), (16, 24), (24, 25), (100, 120), (4095, 5000), (5000, 6000)]
        {
            let rows = most / stride;
            let map = Typemap::derive(
                Combiner::Hvector,
                &[rows, length, stride],
                std::slice::from_ref(&byte),
                0,
                rows * stride,
            );
            let Some(map) = map else { panic!("a vector") };
            let buffer = Buffer::new(bytes.as_ptr() as u64, &map, 1);
            let packed: Vec<u8> = map
                .runs(1)
                .flat_map(|(offset, n)| bytes.iter().skip(offset as usize).take(n as usize))
                .copied()
                .collect();
            for (from, to) in
                [(0, packed.len()), (0, 4096), (1, 4096), (5, 4102), (3, 8195), (4096, 12_288), (9999, 77_777), (5, 5)]
            {
                let (from, to) = (from.min(packed.len()), to.min(packed.len()));
                let mut found = Vec::new();
                let mut count = 0;
                let take = |piece: &[u8]| {
                    found.extend_from_slice(piece);
                    count += 1;
                };
                // SAFETY: all of it is in `bytes`.
                unsafe { pieces(&buffer, from as u64, to as u64, take) };
                assert!(found == packed[from..to], "{length} of {stride}, {from}..{to}");
                assert!(to - from > SCRATCH || count == 1, "{count} pieces");
            }
        }
    }
}
