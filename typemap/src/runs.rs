//! The runs of bytes of a buffer, in typemap order.

use crate::shape::{Kind, Part, Shape};
use crate::typemap::Typemap;
use smallvec::SmallVec;

enum Frame<'a> {
    /// `left` copies to go, the next one at `next`.
    Block {
        child: &'a Shape,
        next: i64,
        stride: i64,
        left: u64,
    },
    List {
        parts: std::slice::Iter<'a, Part>,
        base: i64,
    },
}

/// Maximal runs of bytes in typemap order. See [`Typemap::runs`].
pub struct Runs<'a> {
    frames: SmallVec<[Frame<'a>; 4]>,
    /// Runs that touch it are merged into it.
    current: Option<(i64, u64)>,
}

impl Typemap {
    /// The bytes of `count` elements in typemap order, as runs: offset from the buffer address and length, in bytes.
    /// A run that begins where the one before ends is merged with it.
    pub fn runs(&self, count: u64) -> Runs<'_> {
        Runs::of(&self.shape, 0, self.extent(), count)
    }
}

impl<'a> Runs<'a> {
    pub(crate) fn of(child: &'a Shape, next: i64, stride: i64, left: u64) -> Runs<'a> {
        let mut frames = SmallVec::new();
        if child.size > 0 {
            frames.push(Frame::Block { child, next, stride, left });
        }
        Runs { frames, current: None }
    }

    fn piece(&mut self) -> Option<(i64, u64)> {
        loop {
            let (child, base) = match self.frames.last_mut()? {
                Frame::Block { left: 0, .. } => {
                    self.frames.pop();
                    continue;
                }
                Frame::Block { child, next, stride, left } => {
                    let (child, base) = (*child, *next);
                    let at_once = if child.dense && child.size as i64 == *stride { *left } else { 1 };
                    *left -= at_once;
                    *next = next.wrapping_add(*stride);
                    if child.dense {
                        return Some((base.wrapping_add(child.low), child.size.saturating_mul(at_once)));
                    }
                    (child, base)
                }
                Frame::List { parts, base } => match parts.next() {
                    None => {
                        self.frames.pop();
                        continue;
                    }
                    Some(part) => {
                        let next = base.wrapping_add(part.displacement);
                        let frame = Frame::Block { child: &part.child, next, stride: part.stride, left: part.count };
                        self.frames.push(frame);
                        continue;
                    }
                },
            };
            match &child.kind {
                Kind::Repeat { child, count, stride } => {
                    self.frames.push(Frame::Block { child, next: base, stride: *stride, left: *count });
                }
                Kind::List(parts) => self.frames.push(Frame::List { parts: parts.iter(), base }),
                // These are dense.
                Kind::Empty | Kind::Basic(_) => {}
            }
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = (i64, u64);

    fn next(&mut self) -> Option<(i64, u64)> {
        loop {
            match (self.piece(), self.current) {
                (None, _) => return self.current.take(),
                (Some((offset, length)), Some((start, so_far))) if start.wrapping_add(so_far as i64) == offset => {
                    self.current = Some((start, so_far.saturating_add(length)));
                }
                (piece, None) => self.current = piece,
                (piece, done) => {
                    self.current = piece;
                    return done;
                }
            }
        }
    }
}
