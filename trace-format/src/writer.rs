//! Bytes of a trace file: its head, its blocks, records of what is no call. The interposer encodes calls from raw memory, by
//! the plans of [`crate::plan`].

use crate::codec::{self, CodecError};
use crate::definition::Definition;
use crate::file::{BlockHeader, BlockKind, MAGIC, NOT_COUNTED, RATE_BYTES, RankHeader, VERSION, checksum};
use crate::record::{Commit, State, SystemKind};
use crate::system::SystemEvent;

/// The bytes in front of the first block.
pub fn file_header(header: &RankHeader) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&VERSION.to_le_bytes());
    codec::append(header, &mut out).expect("a header is always encodable");
    out.extend_from_slice(&[0; RATE_BYTES]);
    out
}

/// A definition block with these definitions.
pub fn definition_block(definitions: &[Definition]) -> Result<Vec<u8>, CodecError> {
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
            _ = codec::append(found, out);
            SystemKind::Found
        }
        SystemEvent::Annotation { call, annotation } => {
            out.extend_from_slice(&call.to_le_bytes());
            _ = codec::append(annotation, out);
            SystemKind::Annotation
        }
        SystemEvent::Checksums(checksums) => {
            _ = codec::append(checksums, out);
            SystemKind::Checksums
        }
        SystemEvent::Sample(sample) => {
            _ = codec::append(sample, out);
            SystemKind::Sample
        }
        SystemEvent::Callback(callback) => {
            _ = codec::append(callback, out);
            SystemKind::Callback
        }
        SystemEvent::Touched(touched) => {
            _ = codec::append(touched, out);
            SystemKind::Touched
        }
        SystemEvent::Watched(watched) => {
            _ = codec::append(watched, out);
            SystemKind::Watched
        }
    };
    finish(out, start, kind as u16, State::System);
}

/// Appends the definition of an object as a record.
pub fn encode_definition(definition: &Definition, time: u64, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    out.resize(start + 8, 0);
    out.extend_from_slice(&time.to_le_bytes());
    codec::append(definition, out)?;
    finish(out, start, SystemKind::Definition as u16, State::System);
    Ok(())
}

/// Ends the record of `out` that begins at `start`: fills it up to whole words, and writes its commit word, with lap 0.
pub fn finish(out: &mut Vec<u8>, start: usize, func: u16, state: State) {
    let padded = (out.len() - start).next_multiple_of(8);
    out.resize(start + padded, 0);
    let commit = Commit { func, state: state as u8, words: (padded / 8) as u16, lap: 0 };
    out[start..start + 8].copy_from_slice(&commit.pack().to_le_bytes());
}
