//! One record: the event that its bytes are, without knowledge of others. [`trace_format::record`] has the layouts.

use super::blobs::Blobs;
use super::varying::layout;
use crate::args::Args;
use crate::call::{Call, Outcome, Value};
use trace_format::mpi::{FnId, ThreadLevel};
use trace_format::plan::{Elem, Item, Shape, plans};
use trace_format::record::{
    BLOB_BIT, CALL_HEADER_BYTES, Commit, MAX_DURATION, STATUS_BYTES, SYSTEM_HEADER_BYTES, State, SystemKind,
    unpack_status,
};
use trace_format::system::{Signal, SystemEvent};

/// The record at `offset` of the records of a lap; `None` if there is no whole one.
#[inline]
pub(super) fn record_at(records: &[u8], offset: usize) -> Option<&[u8]> {
    let word = records.get(offset..)?.first_chunk::<8>()?;
    let len = Commit::unpack(u64::from_le_bytes(*word)).words as usize * 8;
    (len >= 16).then(|| records.get(offset..offset + len)).flatten()
}

/// Is it the record of a call?
#[inline]
pub(super) fn is_call(record: &[u8]) -> bool {
    let state = Commit::unpack(u64_at(record, 0)).state;
    state == State::Entered as u8 || state == State::Returned as u8
}

/// Is it the record of a call that has not returned?
pub(super) fn is_entered(record: &[u8]) -> bool {
    Commit::unpack(u64_at(record, 0)).state == State::Entered as u8
}

/// Is it the record of a call in which more of them may be counted?
pub(super) fn may_be_counted(record: &[u8]) -> bool {
    let func = FnId::from_index(Commit::unpack(u64_at(record, 0)).func as usize);
    is_call(record) && func.is_some_and(|func| func.row().may_be_counted())
}

/// The first time stamp of a record, in ticks: when its event began.
pub(super) fn earliest(record: &[u8]) -> u64 {
    u64_at(record, 8)
}

/// The last time stamp of a record, in ticks.
pub(super) fn latest(record: &[u8]) -> u64 {
    let time = u64_at(record, 8);
    match Commit::unpack(u64_at(record, 0)).state {
        s if s == State::Returned as u8 => time.saturating_add(u64_at(record, 16) & MAX_DURATION),
        _ => time,
    }
}

#[inline]
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b))
}

#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.first_chunk::<8>()).map_or(0, |b| u64::from_le_bytes(*b))
}

/// Begins a call, which is [`Call::blank`], with the words of its record that all calls have.
#[inline(always)]
pub(super) fn begin(
    call: &mut Call<Args>,
    func: FnId,
    params: usize,
    (t_call, second, last): (u64, u64, u64),
    has_returned: bool,
) {
    (call.func, call.site, call.polls, call.t_call) = (func, last as u32, (last >> 32) as u32, t_call);
    if has_returned {
        call.outcome = Outcome::Returned((second >> 48) as u16);
        call.t_return = t_call.saturating_add(second & MAX_DURATION);
    }
    call.ins.has_params(params);
    call.outs.has_params(params);
}

/// `call` is [`Call::blank`].
#[inline(always)]
pub(super) fn decode_call(func: FnId, bytes: &[u8], blobs: &Blobs, call: &mut Call<Args>) -> Result<(), String> {
    let (head, values) = bytes.split_first_chunk::<CALL_HEADER_BYTES>().ok_or("short call record")?;
    let word = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
    let (t_call, second, last) = (word(8), word(16), word(24));
    let has_returned = Commit::unpack(word(0)).state == State::Returned as u8;
    let layout = layout(func);
    begin(call, func, layout.params, (t_call, second, last), has_returned);
    if let Some(moves) = &layout.moves
        && let Some(values) = values.get(..if has_returned { moves.returned } else { moves.entered })
    {
        moves.ins.iter().for_each(|from| from.carry_out(values, &mut call.ins));
        if has_returned {
            moves.outs.iter().for_each(|from| from.carry_out(values, &mut call.outs));
        }
        return Ok(());
    }
    decode_one_by_one(func, bytes, blobs, call)
}

pub(super) fn decoded(func: FnId, bytes: &[u8], blobs: &Blobs) -> Result<Call<Args>, String> {
    let mut call = Call::blank();
    decode_call(func, bytes, blobs, &mut call)?;
    Ok(call)
}

/// Decodes the values of a call whose records are not all of one length, or whose record is too short.
#[inline(never)]
pub(super) fn decode_one_by_one(func: FnId, bytes: &[u8], blobs: &Blobs, call: &mut Call<Args>) -> Result<(), String> {
    let plan = &plans()[func.index()];
    let mut cells = Cells { bytes, at: CALL_HEADER_BYTES, blobs };
    for item in &plan.ins {
        cells.item(item, &mut call.ins)?;
    }
    if !call.is_open() {
        for item in &plan.outs {
            cells.item(item, &mut call.outs)?;
        }
    }
    Ok(())
}

/// A value that has the same place in all records of a function.
struct Move {
    /// Byte of the values.
    at: usize,
    /// Number of the parameter.
    place: usize,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Signed4,
    Unsigned4,
    Eight,
    /// Address and handle of a request, of eight bytes each.
    Request,
    Status,
}

impl Move {
    #[inline(always)]
    fn carry_out(&self, values: &[u8], args: &mut Args) {
        let from = values.get(self.at..).unwrap_or_default();
        let (four, eight) = (|| u32_at(from, 0), |at| u64_at(from, at));
        match self.what {
            What::Signed4 => args.set_int(self.place, i64::from(four() as i32)),
            What::Unsigned4 => args.set_int(self.place, i64::from(four())),
            What::Eight => args.set_int(self.place, eight(0) as i64),
            What::Request => args.set_request(self.place, eight(0), eight(8) as i64),
            What::Status => from.first_chunk().into_iter().for_each(|status| args.set_status(self.place, status)),
        }
    }

    /// As `carry_out`, from the words of the values.
    #[inline(always)]
    fn carry_out_words(&self, values: &[u64], args: &mut Args) {
        let at = self.at;
        match self.what {
            What::Signed4 => args.set_int(self.place, i64::from(four_of(values, at) as i32)),
            What::Unsigned4 => args.set_int(self.place, i64::from(four_of(values, at))),
            What::Eight => args.set_int(self.place, eight_of(values, at) as i64),
            What::Request => args.set_request(self.place, eight_of(values, at), eight_of(values, at + 8) as i64),
            What::Status => {
                let whole = u128::from(eight_of(values, at)) | u128::from(eight_of(values, at + 8)) << 64;
                args.set_status(self.place, &whole.to_le_bytes());
            }
        }
    }
}

/// Four or eight bytes of the values at a byte that is a multiple of four.
#[inline(always)]
fn four_of(values: &[u64], at: usize) -> u32 {
    (values.get(at / 8).copied().unwrap_or(0) >> (8 * (at % 8))) as u32
}

#[inline(always)]
fn eight_of(values: &[u64], at: usize) -> u64 {
    if at.is_multiple_of(8) {
        return values.get(at / 8).copied().unwrap_or(0);
    }
    u64::from(four_of(values, at)) | u64::from(four_of(values, at + 4)) << 32
}

/// The places of the values in the records of a function, if these are all of one length.
pub(super) struct Moves {
    ins: Vec<Move>,
    outs: Vec<Move>,
    /// Bytes of all values of a call that has not returned, and of one that has.
    pub(super) entered: usize,
    pub(super) returned: usize,
}

impl Moves {
    /// `None`: the records are not all of one length.
    pub(super) fn of(func: FnId) -> Option<Moves> {
        let plan = &plans()[func.index()];
        let mut at = 0;
        let ins = plan.ins.iter().map(|item| Moves::next(item, &mut at)).collect::<Option<_>>()?;
        let entered = at;
        let outs = plan.outs.iter().map(|item| Moves::next(item, &mut at)).collect::<Option<_>>()?;
        Some(Moves { ins, outs, entered, returned: at })
    }

    /// Puts the values of a call in their places; they have room for all of them.
    #[inline(always)]
    pub(super) fn carry_out_words(&self, values: &[u64], call: &mut Call<Args>, has_returned: bool) {
        self.ins.iter().for_each(|from| from.carry_out_words(values, &mut call.ins));
        if has_returned {
            self.outs.iter().for_each(|from| from.carry_out_words(values, &mut call.outs));
        }
    }

    fn next(item: &Item, end: &mut usize) -> Option<Move> {
        let what_of = |elem: Elem| match elem {
            Elem::I32(_) => What::Signed4,
            Elem::Handle(_) => What::Unsigned4,
            Elem::I64(_) | Elem::Raw(_) => What::Eight,
            Elem::Status => What::Status,
        };
        let (what, bytes) = match item.shape {
            Shape::Arg(elem) | Shape::Deref(elem) => (what_of(elem), elem.width()),
            Shape::SlotAndDeref(elem) if elem.width() == 8 => (What::Request, 16),
            _ => return None,
        };
        let at = *end;
        *end += bytes;
        Some(Move { at, place: item.param, what })
    }
}

pub(super) fn decode_system(kind: u16, bytes: &[u8]) -> Result<(u64, SystemEvent), String> {
    let at = SYSTEM_HEADER_BYTES;
    let text = |at: usize| {
        let len = u32_at(bytes, at) as usize;
        let text = bytes.get(at + 4..at + 4 + len).unwrap_or(&[]);
        String::from_utf8_lossy(text).into_owned()
    };
    let rest = bytes.get(at..).unwrap_or(&[]);
    let event = match kind {
        k if k == SystemKind::Exit as u16 => SystemEvent::Exit { status: u32_at(bytes, at) as i32 },
        k if k == SystemKind::Signal as u16 => SystemEvent::Signal(Signal {
            signal: u32_at(bytes, at) as i32,
            code: u32_at(bytes, at + 4) as i32,
            pc: u64_at(bytes, at + 8),
            address: u64_at(bytes, at + 16),
            caller: u64_at(bytes, at + 24),
            thread: Some(u32_at(bytes, at + 32) as u16).filter(|t| *t != u16::MAX),
            is_last: u32_at(bytes, at + 36) & 1 != 0,
            by_launcher: u32_at(bytes, at + 36) & 2 != 0,
        }),
        k if k == SystemKind::MpiError as u16 => SystemEvent::MpiError {
            call: u64_at(bytes, at),
            class: u32_at(bytes, at + 8) as u16,
            fatal: u32_at(bytes, at + 12) != 0,
            text: text(at + 16),
        },
        k if k == SystemKind::Lost as u16 => SystemEvent::Lost { reason: text(at) },
        k if k == SystemKind::Gap as u16 => SystemEvent::Gap { calls: u64_at(bytes, at) },
        k if k == SystemKind::Recording as u16 => SystemEvent::Recording { on: u32_at(bytes, at) != 0 },
        k if k == SystemKind::ThreadLevel as u16 => SystemEvent::ThreadLevel {
            call: u64_at(bytes, at),
            level: *ThreadLevel::ALL.get(u32_at(bytes, at + 8) as usize).ok_or("unknown level of thread support")?,
            other: u16::try_from(u32_at(bytes, at + 12)).ok(),
        },
        k if k == SystemKind::Found as u16 => SystemEvent::Found(item(rest)?),
        k if k == SystemKind::Annotation as u16 => {
            SystemEvent::Annotation { call: u64_at(bytes, at), annotation: item(bytes.get(at + 8..).unwrap_or(&[]))? }
        }
        k if k == SystemKind::Checksums as u16 => SystemEvent::Checksums(item(rest)?),
        k if k == SystemKind::Sample as u16 => SystemEvent::Sample(item(rest)?),
        k if k == SystemKind::Callback as u16 => SystemEvent::Callback(item(rest)?),
        k if k == SystemKind::Touched as u16 => SystemEvent::Touched(item(rest)?),
        k if k == SystemKind::Watched as u16 => SystemEvent::Watched(item(rest)?),
        other => return Err(format!("unknown system record {other}")),
    };
    Ok((u64_at(bytes, 8), event))
}

/// Decodes what [`trace_format::codec`] has encoded.
pub(super) fn item<T: serde::de::DeserializeOwned>(mut bytes: &[u8]) -> Result<T, String> {
    trace_format::codec::take(&mut bytes).ok_or("empty item")?.map_err(|e| e.to_string())
}

/// Takes the values of a record one after the other.
pub(super) struct Cells<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) blobs: &'a Blobs,
}

impl Cells<'_> {
    #[inline]
    fn take(&mut self, n: usize) -> Result<&[u8], String> {
        let bytes = self.bytes.get(self.at..self.at + n).ok_or("record is too short for its function")?;
        self.at += n;
        Ok(bytes)
    }

    #[inline]
    fn elem(&mut self, elem: Elem) -> Result<i64, String> {
        Ok(one(elem, self.take(elem.width())?))
    }

    fn status(&mut self) -> Result<&[u8; STATUS_BYTES], String> {
        Ok(self.take(STATUS_BYTES)?.first_chunk().ok_or("short status")?)
    }

    /// Hands the bytes of an array to `read`. Its length comes first, then that many times `width` bytes, or the number of a
    /// blob.
    fn array<R>(&mut self, width: usize, read: impl FnOnce(&[u8]) -> R) -> Result<R, String> {
        let len = u32_at(self.take(4)?, 0);
        if len & BLOB_BIT == 0 {
            return self.take(len as usize * width).map(read);
        }
        let id = len & !BLOB_BIT;
        self.blobs.get(id).map(|bytes| read(&bytes)).ok_or_else(|| format!("blob {id} is missing"))
    }

    #[inline]
    pub(super) fn item(&mut self, item: &Item, args: &mut Args) -> Result<(), String> {
        match item.shape {
            Shape::Arg(Elem::Status) | Shape::Deref(Elem::Status) => args.set_status(item.param, self.status()?),
            Shape::Arg(elem) | Shape::Deref(elem) => args.set_int(item.param, self.elem(elem)?),
            Shape::SlotAndDeref(elem) => {
                let slot = u64_at(self.take(8)?, 0);
                args.set_request(item.param, slot, self.elem(elem)?);
            }
            _ => args.set(item.param, self.long(item)?),
        }
        Ok(())
    }

    /// Decodes a value that says how long it is.
    fn long(&mut self, item: &Item) -> Result<Value, String> {
        Ok(match item.shape {
            Shape::Array { elem: Elem::Status, .. } => {
                let all = |bytes: &[u8]| bytes.as_chunks::<STATUS_BYTES>().0.iter().map(unpack_status).collect();
                Value::Statuses(self.array(STATUS_BYTES, all)?)
            }
            Shape::Array { elem, .. } => Value::Ints(self.array(elem.width(), |bytes| many(elem, bytes))?),
            Shape::SlotAndArray { elem, .. } => {
                let base = u64_at(self.take(8)?, 0);
                Value::Requests { base, handles: self.array(elem.width(), |bytes| many(elem, bytes))? }
            }
            Shape::Str { .. } | Shape::StrArray { .. } => {
                Value::Str(self.array(1, |text| String::from_utf8_lossy(text).into_owned())?)
            }
            Shape::Arg(_) | Shape::Deref(_) | Shape::SlotAndDeref(_) => Value::None,
        })
    }
}

#[inline]
fn one(elem: Elem, bytes: &[u8]) -> i64 {
    match elem {
        Elem::I32(_) => u32_at(bytes, 0) as i32 as i64,
        Elem::Handle(_) => i64::from(u32_at(bytes, 0)),
        _ => u64_at(bytes, 0) as i64,
    }
}

fn many(elem: Elem, bytes: &[u8]) -> Vec<i64> {
    bytes.chunks_exact(elem.width()).map(|b| one(elem, b)).collect()
}
