//! Memory of a process, by the debugger's functions alone.

use crate::failure::Failure;
use mqs::{Address, ImageCallbacks, Process, ProcessCallbacks, TargetTypeSizes, codes};
use std::ffi::c_int;

/// A process that the debugger looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) process: *mut Process,
    pub(crate) callbacks: ProcessCallbacks,
}

/// Most bytes that one request asks for.
const MOST: usize = 1 << 16;

impl Target {
    /// Copies memory.
    pub(crate) fn fetch(&self, at: Address, to: &mut [u8]) -> Result<(), Failure> {
        let fetch = self.callbacks.fetch_data.ok_or(Failure::NoCallbacks)?;
        let mut from = at;
        for part in to.chunks_mut(MOST) {
            // SAFETY: the debugger's function and process (5.8.3), and a buffer of the size that is asked for.
            let got = unsafe { fetch(self.process, from, part.len() as c_int, part.as_mut_ptr().cast()) };
            if got != codes::OK {
                return Err(Failure::Unreadable);
            }
            from = from.checked_add(part.len() as u64).ok_or(Failure::Damaged)?;
        }
        Ok(())
    }

    pub(crate) fn word(&self, at: Address) -> Result<u64, Failure> {
        let mut bytes = [0u8; 8];
        self.fetch(at, &mut bytes)?;
        Ok(Fields { target: self, bytes: &bytes }.u64(0))
    }

    /// The host's value of an integer of the target's.
    fn host<const N: usize>(&self, from: [u8; N]) -> [u8; N] {
        let Some(convert) = self.callbacks.target_to_host else { return from };
        let mut to = from;
        // SAFETY: the debugger's function and process (5.8.3), and two buffers of the given size.
        unsafe { convert(self.process, from.as_ptr().cast(), to.as_mut_ptr().cast(), N as c_int) };
        to
    }

    /// Do the target's types have the sizes that the layouts of the table assume?
    pub(crate) fn check_types(&self, callbacks: &ImageCallbacks) -> Result<(), Failure> {
        let Some(get) = callbacks.get_type_sizes else { return Ok(()) };
        let mut sizes = TargetTypeSizes::default();
        // SAFETY: the debugger's function and process (5.8.2), and room for the larger of the two forms of the sizes.
        unsafe { get(self.process, &mut sizes) };
        if sizes.pointer_size == 8 && sizes.int_size == 4 { Ok(()) } else { Err(Failure::OtherTypes) }
    }
}

/// A copy of a structure of the target. Bytes outside of it are 0.
pub(crate) struct Fields<'a> {
    pub(crate) target: &'a Target,
    pub(crate) bytes: &'a [u8],
}

impl Fields<'_> {
    fn raw<const N: usize>(&self, offset: usize) -> [u8; N] {
        let raw = self.bytes.get(offset..).and_then(|rest| rest.first_chunk::<N>());
        raw.map_or([0; N], |raw| self.target.host(*raw))
    }

    pub(crate) fn u64(&self, offset: usize) -> u64 {
        u64::from_ne_bytes(self.raw(offset))
    }

    pub(crate) fn u32(&self, offset: usize) -> u32 {
        u32::from_ne_bytes(self.raw(offset))
    }

    pub(crate) fn i32(&self, offset: usize) -> i32 {
        i32::from_ne_bytes(self.raw(offset))
    }

    pub(crate) fn u16(&self, offset: usize) -> u16 {
        u16::from_ne_bytes(self.raw(offset))
    }

    pub(crate) fn u8(&self, offset: usize) -> u8 {
        self.bytes.get(offset).copied().unwrap_or(0)
    }

    /// A text that ends with a zero or fills its place, without characters that do not belong on a screen.
    pub(crate) fn text(&self, offset: usize) -> String {
        let bytes = self.bytes.get(offset..).unwrap_or(&[]);
        let bytes: Vec<u8> = bytes.iter().copied().take(queue_table::TEXT_BYTES).take_while(|b| *b != 0).collect();
        String::from_utf8_lossy(&bytes).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }
}
