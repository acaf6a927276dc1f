//! Writes trace files from decoded values: synthetic traces for tests and benchmarks. The interposer encodes from
//! raw memory instead, by the same plans.

use crate::call::{Call, Outcome, Value};
use crate::codec;
use crate::definition::Definition;
use crate::file::{BlockHeader, BlockKind, MAGIC, NOT_COUNTED, RATE_BYTES, RankHeader, STAGE_BYTES, VERSION, checksum};
use crate::pack::Packer;
use crate::plan::{Elem, Item, Shape, plans};
use crate::record::{CALL_HEADER_BYTES, Commit, MAX_INLINE_BYTES, State, SystemKind, pack_duration, pack_status};
use crate::system::SystemEvent;
use std::io::{self, Write};

/// The bytes in front of the first block.
pub fn file_header(header: &RankHeader) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&VERSION.to_le_bytes());
    codec::append(header, &mut out).expect("a header is always encodable");
    out.extend_from_slice(&[0; RATE_BYTES]);
    out
}

/// A definition block with these definitions.
pub fn definition_block(definitions: &[Definition]) -> Result<Vec<u8>, codec::CodecError> {
    let mut out = vec![0; crate::file::BLOCK_HEADER_BYTES];
    for d in definitions {
        codec::append(d, &mut out)?;
    }
    seal(&mut out, BlockKind::Definitions, 0, 0);
    Ok(out)
}

/// Fills in the block header at the front of `block`.
pub fn seal(block: &mut [u8], kind: BlockKind, thread: u16, lap: u64) {
    let (head, payload) = block.split_at_mut(crate::file::BLOCK_HEADER_BYTES);
    let (len, checksum) = (payload.len() as u32, checksum(payload));
    let header = BlockHeader { kind: kind as u16, thread, len, lap, calls: NOT_COUNTED, checksum };
    head.copy_from_slice(&header.to_bytes());
}

/// Appends the record of `call` to `out`.
pub fn encode_call(call: &Call, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + CALL_HEADER_BYTES, 0);
    let plan = &plans()[call.func.index()];
    for item in &plan.ins {
        encode_item(item, &call.ins[item.param], out);
    }
    let (state, duration) = match call.outcome {
        Outcome::Open => (State::Entered, 0),
        Outcome::Returned(class) => {
            for item in &plan.outs {
                encode_item(item, call.outs.get(item.param).unwrap_or(&Value::None), out);
            }
            (State::Returned, pack_duration(call.t_return.saturating_sub(call.t_call), class))
        }
    };
    finish(out, start, call.func as u16, state);
    out[start + 8..start + 16].copy_from_slice(&call.t_call.to_le_bytes());
    out[start + 16..start + 24].copy_from_slice(&duration.to_le_bytes());
    out[start + 24..start + 28].copy_from_slice(&call.site.to_le_bytes());
    out[start + 28..start + 32].copy_from_slice(&call.polls.to_le_bytes());
}

/// Appends the RETURN record of an earlier open call.
pub fn encode_return(call: &Call, class: u16, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + 8, 0);
    out.extend_from_slice(&call.t_return.to_le_bytes());
    out.extend_from_slice(&call.index.to_le_bytes());
    out.extend_from_slice(&u64::from(class).to_le_bytes());
    for item in &plans()[call.func.index()].outs {
        encode_item(item, call.outs.get(item.param).unwrap_or(&Value::None), out);
    }
    finish(out, start, call.func as u16, State::Return);
}

/// Appends a system record.
pub fn encode_system(event: &SystemEvent, time: u64, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + 8, 0);
    out.extend_from_slice(&time.to_le_bytes());
    let text = |out: &mut Vec<u8>, t: &str| {
        out.extend_from_slice(&(t.len() as u32).to_le_bytes());
        out.extend_from_slice(t.as_bytes());
    };
    let kind = match event {
        SystemEvent::Exit { status } => {
            out.extend_from_slice(&status.to_le_bytes());
            SystemKind::Exit
        }
        SystemEvent::Signal(s) => {
            out.extend_from_slice(&s.signal.to_le_bytes());
            out.extend_from_slice(&s.code.to_le_bytes());
            for word in [s.pc, s.address, s.caller] {
                out.extend_from_slice(&word.to_le_bytes());
            }
            out.extend_from_slice(&u32::from(s.thread.unwrap_or(u16::MAX)).to_le_bytes());
            out.extend_from_slice(&(u32::from(s.is_last) | u32::from(s.by_launcher) << 1).to_le_bytes());
            SystemKind::Signal
        }
        SystemEvent::MpiError { call, class, fatal, text: t } => {
            out.extend_from_slice(&call.to_le_bytes());
            out.extend_from_slice(&u32::from(*class).to_le_bytes());
            out.extend_from_slice(&u32::from(*fatal).to_le_bytes());
            text(out, t);
            SystemKind::MpiError
        }
        SystemEvent::Lost { reason } => {
            text(out, reason);
            SystemKind::Lost
        }
        SystemEvent::Gap { calls } => {
            out.extend_from_slice(&calls.to_le_bytes());
            SystemKind::Gap
        }
        SystemEvent::Recording { on } => {
            out.extend_from_slice(&u32::from(*on).to_le_bytes());
            SystemKind::Recording
        }
        SystemEvent::ThreadLevel { call, level, other } => {
            out.extend_from_slice(&call.to_le_bytes());
            out.extend_from_slice(&(*level as u32).to_le_bytes());
            out.extend_from_slice(&other.map_or(u32::MAX, u32::from).to_le_bytes());
            SystemKind::ThreadLevel
        }
        SystemEvent::Found(found) => {
            // Nothing in it can fail to be encoded; what is cut off is told by the reader.
            _ = crate::codec::append(found, out);
            SystemKind::Found
        }
        SystemEvent::Mark { call, mark } => {
            out.extend_from_slice(&call.to_le_bytes());
            _ = crate::codec::append(mark, out);
            SystemKind::Mark
        }
        SystemEvent::Checksums(checksums) => {
            _ = crate::codec::append(checksums, out);
            SystemKind::Checksums
        }
        SystemEvent::Sample(sample) => {
            _ = crate::codec::append(sample, out);
            SystemKind::Sample
        }
        SystemEvent::Callback(callback) => {
            _ = crate::codec::append(callback, out);
            SystemKind::Callback
        }
    };
    finish(out, start, kind as u16, State::System);
}

fn finish(out: &mut Vec<u8>, start: usize, func: u16, state: State) {
    let padded = (out.len() - start).next_multiple_of(8);
    out.resize(start + padded, 0);
    let commit = Commit { func, state: state as u8, words: (padded / 8) as u16, lap: 0 };
    out[start..start + 8].copy_from_slice(&commit.pack().to_le_bytes());
}

fn encode_elem(elem: Elem, value: i64, out: &mut Vec<u8>) {
    match elem.width() {
        4 => out.extend_from_slice(&(value as u32).to_le_bytes()),
        _ => out.extend_from_slice(&value.to_le_bytes()),
    }
}

fn encode_item(item: &Item, value: &Value, out: &mut Vec<u8>) {
    let len = |n: usize, out: &mut Vec<u8>| out.extend_from_slice(&(n as u32).to_le_bytes());
    match item.shape {
        Shape::Arg(Elem::Status) | Shape::Deref(Elem::Status) => match value {
            Value::Status(s) => out.extend_from_slice(&pack_status(*s)),
            _ => out.extend_from_slice(&[0; 16]),
        },
        Shape::Arg(elem) | Shape::Deref(elem) => encode_elem(elem, value.int(), out),
        Shape::SlotAndDeref(elem) => {
            let slot = if let Value::Request { slot, .. } = value { *slot } else { 0 };
            out.extend_from_slice(&slot.to_le_bytes());
            encode_elem(elem, value.int(), out);
        }
        Shape::Array { elem: Elem::Status, .. } => {
            let statuses = if let Value::Statuses(s) = value { &s[..] } else { &[] };
            len(statuses.len(), out);
            statuses.iter().for_each(|s| out.extend_from_slice(&pack_status(*s)));
        }
        Shape::Array { elem, .. } => {
            len(value.ints().len(), out);
            value.ints().iter().for_each(|v| encode_elem(elem, *v, out));
        }
        Shape::SlotAndArray { elem, .. } => {
            let base = if let Value::Requests { base, .. } = value { *base } else { 0 };
            out.extend_from_slice(&base.to_le_bytes());
            len(value.ints().len(), out);
            value.ints().iter().for_each(|v| encode_elem(elem, *v, out));
        }
        Shape::Str { .. } | Shape::StrArray { .. } => {
            let text = if let Value::Str(s) = value { s.as_bytes() } else { &[] };
            let text = &text[..text.len().min(MAX_INLINE_BYTES)];
            len(text.len(), out);
            out.extend_from_slice(text);
        }
    }
}

/// Writes the file of one rank, block by block.
pub struct RankWriter<W: Write> {
    out: W,
    block: Vec<u8>,
    lap: u64,
    packer: Packer,
}

impl<W: Write> RankWriter<W> {
    pub fn new(mut out: W, header: &RankHeader) -> io::Result<RankWriter<W>> {
        out.write_all(&file_header(header))?;
        Ok(RankWriter {
            out,
            block: vec![0; crate::file::BLOCK_HEADER_BYTES],
            lap: 0,
            packer: Packer::new(2 * STAGE_BYTES),
        })
    }

    /// Writes definitions at once, as the interposer does.
    pub fn define(&mut self, definitions: &[Definition]) -> io::Result<()> {
        let block = definition_block(definitions).map_err(io::Error::other)?;
        self.out.write_all(&block)
    }

    /// Adds the record of a call of thread 0.
    pub fn call(&mut self, call: &Call) -> io::Result<()> {
        encode_call(call, &mut self.block);
        if self.block.len() >= crate::file::STAGE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Adds the RETURN record of an earlier open call.
    pub fn late_return(&mut self, call: &Call, class: u16) {
        encode_return(call, class, &mut self.block);
    }

    pub fn system(&mut self, event: &SystemEvent, time: u64) {
        encode_system(event, time, &mut self.block);
    }

    /// Ends the block.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.block.len() > crate::file::BLOCK_HEADER_BYTES {
            let records = self.block.get(crate::file::BLOCK_HEADER_BYTES..).unwrap_or(&[]);
            let packed = self.packer.pack(records).map(<[u8]>::to_vec);
            let kind = if packed.is_some() { BlockKind::Packed } else { BlockKind::Events };
            if let Some(packed) = packed {
                self.block.truncate(crate::file::BLOCK_HEADER_BYTES);
                self.block.extend_from_slice(&packed);
            }
            seal(&mut self.block, kind, 0, self.lap);
            self.lap += 1;
            self.out.write_all(&self.block)?;
            self.block.truncate(crate::file::BLOCK_HEADER_BYTES);
        }
        self.out.flush()
    }
}
