//! Traces from decoded calls. The interposer encodes from raw memory instead, by the same plans.

use crate::call::{Call, Outcome, Value};
use std::io::{self, Write};
use trace_format::definition::Definition;
use trace_format::file::{BLOCK_HEADER_BYTES, BlockKind, RankHeader, STAGE_BYTES};
use trace_format::pack::Packer;
use trace_format::plan::{Elem, Item, Shape, plans};
use trace_format::record::{CALL_HEADER_BYTES, MAX_INLINE_BYTES, State, pack_duration, pack_status};
use trace_format::system::SystemEvent;
use trace_format::writer::{definition_block, encode_system, file_header, finish, seal};

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

/// The block of a lap's records: packed, if a packer is given and makes it smaller.
pub fn event_block(records: &[u8], thread: u16, lap: u64, packer: Option<&mut Packer>) -> Vec<u8> {
    let (kind, payload) = match packer.and_then(|packer| packer.pack(records)) {
        Some(packed) => (BlockKind::Packed, packed),
        None => (BlockKind::Events, records),
    };
    let mut block = vec![0; BLOCK_HEADER_BYTES];
    block.extend_from_slice(payload);
    seal(&mut block, kind, thread, lap);
    block
}

/// Writes the file of one rank, block by block.
pub struct RankWriter<W: Write> {
    out: W,
    records: Vec<u8>,
    lap: u64,
    packer: Packer,
}

impl<W: Write> RankWriter<W> {
    /// Writes the header; blocks follow when they are full, and with [`RankWriter::flush`].
    pub fn new(mut out: W, header: &RankHeader) -> io::Result<RankWriter<W>> {
        out.write_all(&file_header(header))?;
        Ok(RankWriter { out, records: Vec::new(), lap: 0, packer: Packer::new(2 * STAGE_BYTES) })
    }

    /// Writes definitions at once, as the interposer does.
    pub fn define(&mut self, definitions: &[Definition]) -> io::Result<()> {
        let block = definition_block(definitions).map_err(io::Error::other)?;
        self.out.write_all(&block)
    }

    /// Adds the record of a call of thread 0.
    pub fn call(&mut self, call: &Call) -> io::Result<()> {
        encode_call(call, &mut self.records);
        if self.records.len() >= STAGE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Adds the RETURN record of an earlier open call.
    pub fn late_return(&mut self, call: &Call, class: u16) {
        encode_return(call, class, &mut self.records);
    }

    /// Adds the record of an event of thread 0 that is no call; `time` is in ticks.
    pub fn system(&mut self, event: &SystemEvent, time: u64) {
        encode_system(event, time, &mut self.records);
    }

    /// Ends the block.
    pub fn flush(&mut self) -> io::Result<()> {
        if !self.records.is_empty() {
            self.out.write_all(&event_block(&self.records, 0, self.lap, Some(&mut self.packer)))?;
            self.lap += 1;
            self.records.clear();
        }
        self.out.flush()
    }
}
