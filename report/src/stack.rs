//! Call stacks in a line.

use crate::places::named;
use crate::view::Frame;
use std::fmt::Write as _;

/// Frames shown of a stack.
const MAX_FRAMES: usize = 8;

/// A frame in words: `exchange (halo.c:12)`.
pub(crate) fn frame(f: &Frame) -> String {
    match f.line {
        Some(line) if f.file.is_some() => {
            let function = f.function.as_deref().unwrap_or("?");
            format!("{function} ({}:{line})", f.short.rsplit('/').next().unwrap_or(""))
        }
        _ => named(f),
    }
}

/// Frames in a line, innermost first.
pub(crate) fn stack_of(frames: &[Frame]) -> String {
    let mut text = frames.iter().take(MAX_FRAMES).map(frame).collect::<Vec<_>>().join(" < ");
    if frames.len() > MAX_FRAMES {
        _ = write!(text, " < ... {} more", frames.len() - MAX_FRAMES);
    }
    text
}
