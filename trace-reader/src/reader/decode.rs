//! Records of one thread to events: see [`trace_format::record`] for their layout.

use super::blobs::Blobs;
use super::memory_cost::of_call;
use super::varying::{Layout, layout};
use super::{LeanEvent, RankEvent, Repeat};
use crate::args::Args;
use crate::call::{Call, Outcome, Value};
use crate::unpack::{CellVersion, Unpacked};
use trace_format::file::NOT_COUNTED;
use trace_format::mpi::{FnId, ThreadLevel};
use trace_format::pack::{CALL_HEAD, KEY};
use trace_format::plan::{Elem, Item, Shape, plans};
use trace_format::record::{
    BLOB_BIT, CALL_HEADER_BYTES, Commit, MAX_DURATION, RETURN_HEADER_BYTES, STATUS_BYTES, SYSTEM_HEADER_BYTES, State,
    SystemKind, unpack_status,
};
use trace_format::system::{Signal, SystemEvent};

/// A call handed over while it was open.
struct OpenCall {
    index: u64,
    func: FnId,
    t_call: u64,
    /// Byte offset of its record in the current lap; `None` once the lap was emptied into the file.
    offset: Option<usize>,
}

/// Open calls of a thread are remembered up to this number: more are callbacks in callbacks, or were left by jumps and never
/// return.
const MAX_OPEN: usize = 1 << 12;

/// Decodes the records of a thread one after the other, with what must be known of earlier ones.
pub(super) struct Decoder {
    number: u16,
    /// CALL records seen so far.
    calls: u64,
    open: Vec<OpenCall>,
    /// The last call, if more like it may be counted in its record.
    polled: Option<Polled>,
    /// By cell, the last call that came from it.
    kept: Vec<Kept>,
    /// Bytes that the values of all kept calls have elsewhere.
    kept_bytes: usize,
}

/// Cells whose calls are kept: loops have fewer.
const MAX_KEPT: usize = 1 << 10;
/// Bytes of values that the kept calls of a thread may have elsewhere: many may name the same long array.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// A call, and others that are as it. The second of them is handed over to be kept: most calls that differ from the one before
/// them have no second.
#[derive(Clone)]
struct Kept {
    /// The version of the last one's cell; 0: there is none.
    version: u64,
    /// The reader has it.
    is_known: bool,
    func: FnId,
    layout: &'static Layout,
    is_poll: bool,
    polls: u32,
    /// Bytes that the values of the one that was handed over last have elsewhere.
    bytes: usize,
    /// Its record: see [`Unpacked`], and [`super::varying`]. No words: nothing is alike.
    key: u64,
    template: Vec<u64>,
}

impl Kept {
    fn none(func: FnId) -> Kept {
        let (layout, template) = (layout(func), Vec::new());
        Kept { version: 0, is_known: false, func, layout, is_poll: false, polls: 0, bytes: 0, key: 0, template }
    }

    /// Is the call of this record as this one?
    #[inline(always)]
    fn is_alike(&self, layout: &Layout, unpacked: &Unpacked, alike: bool) -> bool {
        self.version == unpacked.cell.version
            || alike && unpacked.key == self.key && layout.is_alike(unpacked.words, &self.template)
    }
}

/// The record of a poll.
struct Polled {
    index: u64,
    func: FnId,
    /// Byte offset in the current lap.
    offset: usize,
    /// How many more polls its record counted when it was looked at last.
    polls: u32,
}

impl Polled {
    /// A poll that returned.
    fn new(call: &Call<Args>, index: u64, offset: usize) -> Option<Polled> {
        let row = call.func.row();
        (row.may_be_counted() && !call.is_open()).then_some(Polled {
            index,
            func: call.func,
            offset,
            polls: call.polls,
        })
    }

    /// Are there enough new polls to tell? Each time twice as many as before, and the rest when no more come.
    fn is_news(&self, polls: u32, is_over: bool) -> bool {
        polls > self.polls && (is_over || polls >= self.polls.saturating_mul(2).max(64))
    }
}

impl Decoder {
    pub(super) fn new(number: u16) -> Decoder {
        Decoder { number, calls: 0, open: Vec::new(), polled: None, kept: Vec::new(), kept_bytes: 0 }
    }

    /// The lap is over: calls that it left open get return records of their own.
    pub(super) fn next_lap(&mut self) {
        self.open.iter_mut().for_each(|o| o.offset = None);
        self.polled = None;
    }

    /// Goes on behind missing records: `calls` CALL records are in front of what comes now. Returns how many of them are missing.
    pub(super) fn skip(&mut self, calls: u64) -> u64 {
        self.open.clear();
        self.polled = None;
        let missing = if calls == NOT_COUNTED { 0 } else { calls.saturating_sub(self.calls) };
        self.calls += missing;
        missing
    }

    /// Were CALL records missed, if the next record has `calls` of them in front of it?
    pub(super) fn is_behind(&self, calls: u64) -> bool {
        calls != NOT_COUNTED && calls > self.calls
    }

    /// Offsets of the records in the current lap that may still change.
    pub(super) fn open_records(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.iter().filter_map(|o| o.offset).chain(self.polled.iter().map(|p| p.offset))
    }

    /// Looks again at open calls whose record is in the current lap: they may have been completed in place. `read`
    /// gives the record at an offset, or nothing. `is_over`: the last poll is over, since another record follows or none will.
    pub(super) fn completed<'a>(
        &mut self,
        is_over: bool,
        blobs: &Blobs,
        read: impl Fn(usize) -> &'a [u8],
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<(), String> {
        if let Some(polled) = &mut self.polled
            && let bytes = read(polled.offset)
            && bytes.len() >= CALL_HEADER_BYTES
            && polled.is_news(u32_at(bytes, 28), is_over)
            && let Ok(Call { outcome: Outcome::Returned(class), t_return: time, polls, outs, .. }) =
                decoded(polled.func, bytes, blobs)
        {
            // The return of a call that has returned: it was repeated.
            let more = polls - std::mem::replace(&mut polled.polls, polls);
            sink(RankEvent::Return { thread: self.number, index: polled.index, time, class, polls: more, outs });
        }
        let mut result = Ok(());
        let polled = &mut self.polled;
        self.open.retain(|open| {
            let Some(bytes) = open.offset.map(&read) else { return true };
            if Commit::unpack(u64_at(bytes, 0)).state != State::Returned as u8 {
                return true;
            }
            match decoded(open.func, bytes, blobs) {
                Ok(call @ Call { outcome: Outcome::Returned(class), .. }) => {
                    if let Some(last) = open.offset.filter(|_| open.index.wrapping_add(1) == self.calls) {
                        *polled = Polled::new(&call, open.index, last);
                    }
                    let Call { t_return: time, polls, outs, .. } = call;
                    sink(RankEvent::Return { thread: self.number, index: open.index, time, class, polls, outs });
                }
                Ok(_) => {}
                Err(e) => result = Err(e),
            }
            false
        });
        result
    }

    /// Tells how the record at `offset` of the current lap repeats a kept call, if it differs from one in its times, its result
    /// and its varying values alone. And whether it is a poll, whose record may change.
    #[inline(always)]
    pub(super) fn repeat(&mut self, unpacked: &Unpacked, offset: usize, alike: bool) -> Option<(Repeat, bool)> {
        let kept = self.kept.get_mut(usize::from(unpacked.cell.index))?;
        if !kept.is_known || !kept.is_alike(kept.layout, unpacked, alike) {
            return None;
        }
        // As long as its words stay, they need not be looked at again.
        kept.version = if alike { unpacked.cell.version } else { kept.version };
        let varying = kept.layout.varying(unpacked.words);
        let (t_call, word) = unpacked.times;
        let index = self.calls;
        self.calls = self.calls.wrapping_add(1);
        self.polled = kept.is_poll.then_some(Polled { index, func: kept.func, offset, polls: kept.polls });
        let t_return = t_call.saturating_add(word & MAX_DURATION);
        let (slot, thread, class) = (unpacked.cell.index, self.number, (word >> 48) as u16);
        Some((Repeat { slot, thread, class, index, t_call, t_return, varying }, kept.is_poll))
    }

    /// Counts calls that were handed over and have returned. Returns the place of the first one.
    pub(super) fn pass(&mut self, calls: u64) -> u64 {
        self.polled = None;
        let index = self.calls;
        self.calls = index.wrapping_add(calls);
        index
    }

    /// Is the call to be kept, for others that are as it? It is, if the one before it in its cell was as it.
    pub(super) fn keep(&mut self, call: &Call<Args>, unpacked: &Unpacked, alike: bool) -> bool {
        let place = usize::from(unpacked.cell.index);
        if call.is_open() || place >= MAX_KEPT {
            return false;
        }
        if self.kept.len() <= place {
            self.kept.resize(place + 1, Kept::none(call.func));
        }
        let (kept, layout) = (&mut self.kept[place], layout(call.func));
        if kept.func == call.func && kept.is_alike(layout, unpacked, alike) {
            let bytes = of_call(call);
            let others = self.kept_bytes - kept.bytes;
            if others.saturating_add(bytes) > MAX_KEPT_BYTES {
                return false;
            }
            self.kept_bytes = others + bytes;
            (kept.is_known, kept.bytes) = (true, bytes);
            (kept.is_poll, kept.polls) = (call.func.row().may_be_counted(), call.polls);
        } else {
            kept.is_known = false;
            (kept.func, kept.layout) = (call.func, layout);
            layout.set_template(unpacked.words, &mut kept.template);
            kept.key = unpacked.key;
        }
        kept.version = unpacked.cell.version;
        kept.is_known
    }

    /// Forgets all kept calls.
    pub(super) fn keep_anew(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.is_known = false);
    }

    /// Puts the call of the record `bytes`, which stands at `offset` of the current lap, into `call`, which is
    /// [`Call::blank`].
    #[inline(always)]
    pub(super) fn call(
        &mut self,
        blobs: &Blobs,
        bytes: &[u8],
        offset: usize,
        call: &mut Call<Args>,
    ) -> Result<(), String> {
        let func = FnId::from_index(Commit::unpack(u64_at(bytes, 0)).func as usize).ok_or("unknown function")?;
        if let Err(what) = decode_call(func, bytes, blobs, call) {
            // It counts nevertheless.
            self.calls = self.calls.wrapping_add(1);
            return Err(what);
        }
        self.number_call(call, offset);
        Ok(())
    }

    /// Says which call of the thread it is, and notes what may still come of it.
    #[inline(always)]
    fn number_call(&mut self, call: &mut Call<Args>, offset: usize) {
        let index = self.calls;
        self.calls = self.calls.wrapping_add(1);
        (call.thread, call.index) = (self.number, index);
        self.polled = Polled::new(call, index, offset);
        if call.is_open() {
            if self.open.len() >= MAX_OPEN {
                self.open.drain(..MAX_OPEN / 2);
            }
            self.open.push(OpenCall { index, func: call.func, t_call: call.t_call, offset: Some(offset) });
        }
    }

    /// The function, if it is the record of a call whose values stand at places of their own in its words.
    #[inline(always)]
    pub(super) fn func_of(&self, unpacked: &Unpacked) -> Option<FnId> {
        let commit = Commit::unpack(unpacked.key);
        let is_returned = commit.state == State::Returned as u8;
        if unpacked.words.is_empty() || !is_returned && commit.state != State::Entered as u8 {
            return None;
        }
        let func = FnId::from_index(commit.func as usize)?;
        let moves = layout(func).moves.as_ref()?;
        let bytes = if is_returned { moves.returned } else { moves.entered };
        (bytes <= (unpacked.words.len() - 1) * 8).then_some(func)
    }

    /// See [`super::Sink::wants_likeness`].
    #[inline(always)]
    pub(super) fn likeness(&self, func: FnId, unpacked: &Unpacked) -> Option<u64> {
        let layout = layout(func);
        layout.likeness(unpacked.key, unpacked.words).filter(|_| layout.moves.is_some())
    }

    /// As [`Decoder::likeness`], of a record, if it is a call's.
    pub(super) fn likeness_of(&self, record: &[u8]) -> Option<u64> {
        let func = FnId::from_index(Commit::unpack(u64_at(record, 0)).func as usize).filter(|_| is_call(record))?;
        let words = record.get(8 * CALL_HEAD..)?.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let (key, words) = (u64_at(record, 0) & KEY, words.collect::<Vec<u64>>());
        self.likeness(func, &Unpacked { cell: CellVersion::default(), words: &words, times: (0, 0), key, lap: 0 })
    }

    /// As [`Decoder::call`], of a record that was not written out: `func` is what [`Decoder::func_of`] says.
    #[inline(always)]
    pub(super) fn unpacked_call(&mut self, func: FnId, unpacked: &Unpacked, offset: usize, call: &mut Call<Args>) {
        let is_returned = Commit::unpack(unpacked.key).state == State::Returned as u8;
        let last = unpacked.words.first().copied().unwrap_or(0);
        let (t_call, second) = unpacked.times;
        let layout = layout(func);
        begin(call, func, layout.params, (t_call, second, last), is_returned);
        let values = unpacked.words.get(1..).unwrap_or_default();
        if let Some(moves) = &layout.moves {
            moves.ins.iter().for_each(|from| from.carry_out_words(values, &mut call.ins));
            if is_returned {
                moves.outs.iter().for_each(|from| from.carry_out_words(values, &mut call.outs));
            }
        }
        self.number_call(call, offset);
    }

    /// The event of the record `bytes`, which stands at `offset` of the current lap.
    pub(super) fn record(&mut self, blobs: &Blobs, bytes: &[u8], offset: usize) -> Result<LeanEvent, String> {
        let commit = Commit::unpack(u64_at(bytes, 0));
        match commit.state {
            _ if is_call(bytes) => {
                let mut call = Call::blank();
                self.call(blobs, bytes, offset, &mut call)?;
                Ok(RankEvent::Call(call))
            }
            s if s == State::Return as u8 => {
                if bytes.len() < RETURN_HEADER_BYTES {
                    return Err("short return record".into());
                }
                let (time, index, class) = (u64_at(bytes, 8), u64_at(bytes, 16), u64_at(bytes, 24) as u16);
                let Ok(place) = self.open.binary_search_by_key(&index, |o| o.index) else {
                    return Err(format!("return of call {index}, which is not open"));
                };
                let open = self.open.remove(place);
                let mut cells = Cells { bytes, at: RETURN_HEADER_BYTES, blobs };
                let mut outs = Args::new(open.func.row().params.len());
                for item in &plans()[open.func.index()].outs {
                    cells.item(item, &mut outs)?;
                }
                let time = time.max(open.t_call);
                Ok(RankEvent::Return { thread: self.number, index, time, class, polls: 0, outs })
            }
            s if s == State::System as u8 => {
                let (time, event) = decode_system(commit.func, bytes)?;
                Ok(RankEvent::System { thread: self.number, time, event })
            }
            other => Err(format!("unknown state {other}")),
        }
    }
}

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

/// Is it the record of a poll, in which more of them may be counted?
pub(super) fn is_poll(record: &[u8]) -> bool {
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
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b))
}

#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.first_chunk::<8>()).map_or(0, |b| u64::from_le_bytes(*b))
}

/// Begins a call, which is [`Call::blank`], with the words of its record that all calls have.
#[inline(always)]
fn begin(
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
fn decode_call(func: FnId, bytes: &[u8], blobs: &Blobs, call: &mut Call<Args>) -> Result<(), String> {
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

fn decoded(func: FnId, bytes: &[u8], blobs: &Blobs) -> Result<Call<Args>, String> {
    let mut call = Call::blank();
    decode_call(func, bytes, blobs, &mut call)?;
    Ok(call)
}

/// Decodes the values of a call whose records are not all of one length, or whose record is too short.
#[inline(never)]
fn decode_one_by_one(func: FnId, bytes: &[u8], blobs: &Blobs, call: &mut Call<Args>) -> Result<(), String> {
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
    entered: usize,
    returned: usize,
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

fn decode_system(kind: u16, bytes: &[u8]) -> Result<(u64, SystemEvent), String> {
    let at = SYSTEM_HEADER_BYTES;
    let text = |at: usize| {
        let len = u32_at(bytes, at) as usize;
        let text = bytes.get(at + 4..at + 4 + len).unwrap_or(&[]);
        String::from_utf8_lossy(text).into_owned()
    };
    /// Decodes what [`trace_format::codec`] has encoded.
    fn item<T: serde::de::DeserializeOwned>(mut bytes: &[u8]) -> Result<T, String> {
        trace_format::codec::take(&mut bytes).ok_or("empty item")?.map_err(|e| e.to_string())
    }
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

/// Takes the values of a record one after the other.
struct Cells<'a> {
    bytes: &'a [u8],
    at: usize,
    blobs: &'a Blobs,
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
    fn item(&mut self, item: &Item, args: &mut Args) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::FUNCTIONS;

    /// A record of a function with a word of its own wherever there is one.
    fn record(func: FnId, state: State, words: usize) -> Vec<u8> {
        let commit = Commit { state: state as u8, func: func as u16, words: words as u16, ..Commit::unpack(0) };
        let word = |i: usize| (i as u64 + 1).wrapping_mul(0x8765_4321_9abc_def1);
        let words = std::iter::once(commit.pack()).chain((1..words).map(word));
        words.flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn values_at_their_places_are_those_that_are_read_one_by_one() {
        let mut with_places = 0;
        for row in FUNCTIONS {
            let Some(moves) = &layout(row.id).moves else { continue };
            with_places += 1;
            for (state, bytes) in [(State::Entered, moves.entered), (State::Returned, moves.returned)] {
                let whole = (CALL_HEADER_BYTES + bytes).div_ceil(8);
                for words in [whole, whole + 1] {
                    let record = record(row.id, state, words);
                    let call = decoded(row.id, &record, &Blobs::default()).unwrap();
                    let nothing = || Args::new(row.params.len());
                    let mut by_words = Call::blank();
                    let all = record.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
                    let all: Vec<u64> = all.collect();
                    let (times, words) = ((all[1], all[2]), &all[3..]);
                    let unpacked = Unpacked { cell: CellVersion::default(), words, times, key: all[0], lap: 0 };
                    let mut decoder = Decoder::new(call.thread);
                    assert_eq!(decoder.func_of(&unpacked), Some(row.id));
                    decoder.unpacked_call(row.id, &unpacked, 0, &mut by_words);
                    assert_eq!(call, by_words);
                    assert_eq!(decoder.likeness_of(&record), decoder.likeness(row.id, &unpacked));
                    let mut other = Call { ins: nothing(), outs: nothing(), ..call.clone() };
                    decode_one_by_one(row.id, &record, &Blobs::default(), &mut other).unwrap();
                    assert_eq!(call, other);
                }
                if bytes > 0 {
                    let short = record(row.id, state, whole - 1);
                    assert!(decoded(row.id, &short, &Blobs::default()).is_err(), "{}", row.name);
                }
            }
        }
        assert!(with_places > 200, "{with_places}");
    }
}
