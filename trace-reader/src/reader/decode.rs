//! Records of one thread to events, and what must be known of earlier ones for it: open calls, calls that are counted in one
//! record, calls that others repeat. [`super::record`] knows the bytes of one.

use super::blobs::Blobs;
use super::kept::{KeptCalls, Like};
use super::record::{Cells, begin, decode_call, decode_system, decoded, is_call, item, u32_at, u64_at};
use super::varying::layout;
use super::{LeanEvent, RankEvent, Repeat};
use crate::args::Args;
use crate::call::{Call, Outcome};
use crate::unpack::{CellVersion, Unpacked};
use trace_format::file::NOT_COUNTED;
use trace_format::mpi::FnId;
use trace_format::pack::{CALL_HEAD, KEY};
use trace_format::plan::plans;
use trace_format::record::{CALL_HEADER_BYTES, COUNT_AT, Commit, MAX_DURATION, RETURN_HEADER_BYTES};
use trace_format::record::{SYSTEM_HEADER_BYTES, State, SystemKind};

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
    counted: Option<Counted>,
    kept: KeptCalls,
}

/// A record that may stand for several calls.
struct Counted {
    index: u64,
    func: FnId,
    /// Byte offset in the current lap.
    offset: usize,
    /// How many more calls it counted when it was looked at last.
    polls: u32,
}

impl Counted {
    /// A call that returned.
    fn new(call: &Call<Args>, index: u64, offset: usize) -> Option<Counted> {
        let row = call.func.row();
        (row.may_be_counted() && !call.is_open()).then_some(Counted {
            index,
            func: call.func,
            offset,
            polls: call.polls,
        })
    }

    /// Are there enough new calls to tell? Each time twice as many as before, and the rest when no more come.
    fn is_news(&self, polls: u32, is_over: bool) -> bool {
        polls > self.polls && (is_over || polls >= self.polls.saturating_mul(2).max(64))
    }
}

impl Decoder {
    pub(super) fn new(number: u16) -> Decoder {
        Decoder { number, calls: 0, open: Vec::new(), counted: None, kept: KeptCalls::default() }
    }

    /// The lap is over: calls that it left open get return records of their own.
    pub(super) fn next_lap(&mut self) {
        self.open.iter_mut().for_each(|o| o.offset = None);
        self.counted = None;
    }

    /// Goes on behind missing records: `calls` CALL records are in front of what comes now. Returns how many of them are missing.
    pub(super) fn skip(&mut self, calls: u64) -> u64 {
        self.open.clear();
        self.counted = None;
        let missing = if calls == NOT_COUNTED { 0 } else { calls.saturating_sub(self.calls) };
        self.calls += missing;
        missing
    }

    /// No more records are unpacked.
    pub(super) fn forget_kept(&mut self) {
        self.kept = KeptCalls::default();
    }

    /// Were CALL records missed, if the next record has `calls` of them in front of it?
    pub(super) fn is_behind(&self, calls: u64) -> bool {
        calls != NOT_COUNTED && calls > self.calls
    }

    /// Offsets of the records in the current lap that may still change.
    pub(super) fn open_records(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.iter().filter_map(|o| o.offset).chain(self.counted.iter().map(|p| p.offset))
    }

    /// Looks again at open calls whose record is in the current lap: they may have been completed in place. `read`
    /// gives the record at an offset, or nothing. `is_over`: no more calls are counted in the last one, since another
    /// record follows or none will.
    pub(super) fn completed<'a>(
        &mut self,
        is_over: bool,
        blobs: &Blobs,
        read: impl Fn(usize) -> &'a [u8],
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<(), String> {
        if let Some(counted) = &mut self.counted
            && let bytes = read(counted.offset)
            && bytes.len() >= CALL_HEADER_BYTES
            && counted.is_news(u32_at(bytes, COUNT_AT), is_over)
            && let Ok(Call { outcome: Outcome::Returned(class), t_return: time, polls, outs, .. }) =
                decoded(counted.func, bytes, blobs)
        {
            // The return of a call that has returned: it was repeated.
            let more = polls - std::mem::replace(&mut counted.polls, polls);
            sink(RankEvent::Return { thread: self.number, index: counted.index, time, class, polls: more, outs });
        }
        let mut result = Ok(());
        let counted = &mut self.counted;
        self.open.retain(|open| {
            let Some(bytes) = open.offset.map(&read) else { return true };
            if Commit::unpack(u64_at(bytes, 0)).state != State::Returned as u8 {
                return true;
            }
            match decoded(open.func, bytes, blobs) {
                Ok(call @ Call { outcome: Outcome::Returned(class), .. }) => {
                    if let Some(last) = open.offset.filter(|_| open.index.wrapping_add(1) == self.calls) {
                        *counted = Counted::new(&call, open.index, last);
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
    /// and its varying values alone. And whether more calls may be counted in its record.
    #[inline(always)]
    pub(super) fn repeat(&mut self, unpacked: &Unpacked, offset: usize, alike: bool) -> Option<(Repeat, bool)> {
        let Like { slot, func, layout, may_be_counted, polls } = self.kept.like(unpacked, alike)?;
        let varying = layout.varying(unpacked.words);
        let (t_call, word) = unpacked.times;
        let index = self.calls;
        self.calls = self.calls.wrapping_add(1);
        self.counted = may_be_counted.then_some(Counted { index, func, offset, polls });
        let t_return = t_call.saturating_add(word & MAX_DURATION);
        let (thread, class) = (self.number, (word >> 48) as u16);
        Some((Repeat { slot, thread, class, index, t_call, t_return, varying }, may_be_counted))
    }

    /// Counts calls that were handed over and have returned. Returns the place of the first one.
    pub(super) fn pass(&mut self, calls: u64) -> u64 {
        self.counted = None;
        let index = self.calls;
        self.calls = index.wrapping_add(calls);
        index
    }

    /// See [`KeptCalls::keep`].
    pub(super) fn keep(&mut self, call: &Call<Args>, unpacked: &Unpacked, alike: bool) -> Option<u16> {
        self.kept.keep(call, unpacked, alike)
    }

    /// See [`KeptCalls::share_among`].
    pub(super) fn share_kept_among(&mut self, ranks: usize) {
        self.kept.share_among(ranks);
    }

    /// See [`KeptCalls::keep_anew`].
    pub(super) fn keep_anew(&mut self) {
        self.kept.keep_anew();
    }

    /// See [`KeptCalls::make_room`].
    pub(super) fn make_room_to_keep(&mut self) -> bool {
        self.kept.make_room()
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
        self.counted = Counted::new(call, index, offset);
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
            moves.carry_out_words(values, call, is_returned);
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
            s if s == State::System as u8 && commit.func == SystemKind::Definition as u16 => {
                Ok(RankEvent::Definition(item(bytes.get(SYSTEM_HEADER_BYTES..).unwrap_or(&[]))?))
            }
            s if s == State::System as u8 => {
                let (time, event) = decode_system(commit.func, bytes)?;
                Ok(RankEvent::System { thread: self.number, time, event })
            }
            other => Err(format!("unknown state {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::decode_one_by_one;
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
