//! The element of the program that a byte of the packed data belongs to.

use crate::shape::Kind;
use crate::typemap::Typemap;

/// The place of a byte of the packed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Element of the buffer (0 is the first one).
    pub element: u64,
    /// Basic element within the typemap of that element (0 is the first one).
    pub position: u64,
    /// Definition id of the basic element.
    pub basic: u32,
    /// Offset of the byte from the buffer address, in bytes.
    pub offset: i64,
    /// The byte within the basic element.
    pub byte: u64,
}

impl Typemap {
    /// The place of the byte `nth` (from 0) of the packed data of `count` elements, in time proportional to the depth
    /// of the type. `None` if there is no such byte.
    pub fn locate(&self, count: u64, nth: u64) -> Option<Place> {
        let element = nth.checked_div(self.shape.size)?;
        if element >= count {
            return None;
        }
        let mut shape = &*self.shape;
        let mut byte = nth % shape.size;
        let mut position = 0u64;
        let mut offset = (element as i64).wrapping_mul(self.extent());
        loop {
            let (child, stride) = match &shape.kind {
                Kind::Empty => return None,
                Kind::Basic(basic) => {
                    let offset = offset.wrapping_add(byte as i64);
                    return Some(Place { element, position, basic: *basic, offset, byte });
                }
                Kind::Repeat { child, stride, .. } => (child, *stride),
                Kind::List(parts) => {
                    let after = parts.partition_point(|p| p.bytes_before <= byte);
                    let part = parts.get(after.checked_sub(1)?)?;
                    byte -= part.bytes_before;
                    position += part.elements_before;
                    offset = offset.wrapping_add(part.displacement);
                    (&part.child, part.stride)
                }
            };
            let copy = byte.checked_div(child.size)?;
            byte -= copy * child.size;
            position += copy * child.elements;
            offset = offset.wrapping_add((copy as i64).wrapping_mul(stride));
            shape = child;
        }
    }
}
