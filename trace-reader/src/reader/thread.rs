//! One thread as far as it was read: the blocks of the file that are still to come, the records at hand, and those that its
//! stage holds beyond them.

use super::blobs::Blobs;
use super::blocks::BlockRef;
use super::decode::Decoder;
use super::record::{earliest, is_call, is_entered, latest, may_be_counted, record_at};
use super::rounds::Trials;
use super::stage::StageView;
use super::{Keeps, LeanEvent, RankEvent, Repeat, Sink};
use crate::args::Args;
use crate::call::Outcome;
use crate::unpack::Unpacked;
use std::collections::VecDeque;
use trace_format::system::SystemEvent;

/// The records that a stage held at one moment.
struct Staged {
    lap: u64,
    /// CALL records in front of it.
    calls: u64,
    /// Where `bytes` begin in the lap.
    offset: usize,
    /// Whole records.
    bytes: Vec<u8>,
    /// The records of calls that were open, by their offsets.
    open: Vec<(usize, Vec<u8>)>,
}

pub(super) struct Thread {
    number: u16,
    pub(super) stage: Option<StageView>,
    staged: Option<Staged>,
    /// Laps in the file, to be read before what the stage holds.
    pub(super) blocks: VecDeque<BlockRef>,
    /// Records at hand; `at` is the place of the next one, `base` that of the first byte in the lap.
    records: Vec<u8>,
    at: usize,
    base: usize,
    /// The records at hand are a whole lap: the next one begins behind them.
    whole: bool,
    /// The first of the blocks was read up to `offset`. Its records behind that are not put with the records at hand.
    begun: bool,
    /// A record that was unpacked.
    record: Vec<u8>,
    /// The thread as the system numbers it: kept for when its stage is not mapped.
    owner: Option<u32>,
    /// The lap that is read next, and how far it has been read already.
    lap: u64,
    offset: usize,
    decoder: Decoder,
    pub(super) trials: Trials,
    /// The next event in the order of the records, with its time. No room of its own as long as there is no other thread.
    head: Option<Box<Option<(u64, LeanEvent)>>>,
    /// Returns of calls that were handed over without them, the earliest last.
    returns: Vec<(u64, LeanEvent)>,
    /// Time of the last event that was handed over.
    last: u64,
    /// The latest time stamp in blocks of the file.
    seen: u64,
    /// The stage was looked at behind all that was read before: there was no more than what is at hand.
    looked: bool,
}

impl Thread {
    pub(super) fn number(&self) -> u16 {
        self.number
    }

    pub(super) fn new(number: u16) -> Thread {
        Thread {
            number,
            stage: None,
            staged: None,
            blocks: VecDeque::new(),
            records: Vec::new(),
            at: 0,
            base: 0,
            whole: false,
            begun: false,
            record: Vec::new(),
            owner: None,
            lap: 0,
            offset: 0,
            decoder: Decoder::new(number),
            trials: Trials::default(),
            head: None,
            returns: Vec::new(),
            last: 0,
            seen: 0,
            looked: false,
        }
    }

    /// Was everything of this thread seen when its stage was looked at?
    pub(super) fn is_known(&self) -> bool {
        self.looked && self.blocks.is_empty()
    }

    /// Notes the latest time stamp of the block at hand: an ended thread has nothing in its stage.
    pub(super) fn note_block(&mut self) {
        let mut at = self.at;
        while let Some(record) = record_at(&self.records, at) {
            self.seen = self.seen.max(latest(record));
            at += record.len();
        }
    }

    /// Takes the records of the stage beyond those that were read, if nothing is missing in between. Returns the latest time
    /// stamp that was seen.
    pub(super) fn take_stage(&mut self) -> u64 {
        self.look_at_stage().max(self.seen)
    }

    /// Does so; returns the latest time stamp in the stage.
    pub(super) fn look_at_stage(&mut self) -> u64 {
        self.staged = None;
        self.looked = false;
        let behind = self.blocks.is_empty() && self.at >= self.records.len() && !self.whole;
        let Some(stage) = &self.stage else {
            self.looked = behind;
            return 0;
        };
        let lap = stage.lap();
        let mut record = Vec::new();
        if !behind {
            // The stage is later than all that is still to be read from the file.
            return if stage.copy_record(0, lap, &mut record) { latest(&record) } else { 0 };
        }
        let mut seen = 0;
        let calls = stage.calls();
        let mut staged = Staged { lap, calls, offset: self.offset, bytes: Vec::new(), open: Vec::new() };
        if lap == self.lap {
            let mut changing = Vec::new();
            while stage.copy_record(self.offset + staged.bytes.len(), lap, &mut record) {
                if is_entered(&record) || may_be_counted(&record) {
                    changing.push(staged.bytes.len());
                }
                staged.bytes.extend_from_slice(&record);
                seen = seen.max(latest(&record));
            }
            // A call may have returned while the records of later ones were copied, and must not return after them; and more
            // polls may have been counted in front of them.
            for at in changing {
                if stage.copy_record(self.offset + at, lap, &mut record)
                    && let Some(place) = staged.bytes.get_mut(at..at + record.len())
                {
                    place.copy_from_slice(&record);
                    seen = seen.max(latest(&record));
                }
            }
            // Open calls are copied after the rest, so that they have the results that other threads had by then.
            for offset in self.decoder.open_records() {
                if stage.copy_record(offset, lap, &mut record) {
                    seen = seen.max(latest(&record));
                    staged.open.push((offset, record.clone()));
                }
            }
        }
        self.staged = Some(staged);
        seen
    }

    /// Is something at hand that was not handed over?
    pub(super) fn has_records(&self) -> bool {
        self.begun || self.at < self.records.len()
    }

    /// Is nothing at hand any more?
    pub(super) fn has_handed_over(&self) -> bool {
        !self.has_records() && self.staged.is_none() && self.head().is_none() && self.returns.is_empty()
    }

    pub(super) fn has_staged(&self) -> bool {
        self.staged.is_some()
    }

    /// Tells that laps are missing in front of this one, which begins at `time` behind `calls` calls.
    fn skip_to(&mut self, lap: u64, calls: u64, time: u64, sink: &mut dyn FnMut(LeanEvent)) {
        (self.lap, self.offset) = (lap, 0);
        let calls = self.decoder.skip(calls);
        self.decoder.next_lap();
        sink(RankEvent::System { thread: self.number, time, event: SystemEvent::Gap { calls } });
    }

    /// Puts the records that were taken from the stage behind those that were read. `sink` gets the returns of open calls.
    /// `limited`: early laps may have been removed.
    pub(super) fn use_stage(
        &mut self,
        limited: bool,
        blobs: &Blobs,
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<(), String> {
        // A block that came meanwhile has the same and more.
        let Some(staged) = self.staged.take().filter(|_| self.blocks.is_empty()) else { return Ok(()) };
        if staged.lap > self.lap {
            // The file was searched after the stage was looked at.
            let missing = format!("laps {} to {} are in neither file", self.lap, staged.lap - 1);
            self.skip_to(staged.lap, staged.calls, self.last, sink);
            return if limited { Ok(()) } else { Err(missing) };
        }
        self.looked = true;
        // The stage has an older lap if the process died between writing the block and starting the next lap.
        if (staged.lap, staged.offset) != (self.lap, self.offset) {
            return Ok(());
        }
        let read = |offset: usize| staged.open.iter().find(|(at, _)| *at == offset).map_or(&[][..], |(_, r)| &r[..]);
        let result = self.decoder.completed(!staged.bytes.is_empty(), blobs, read, sink);
        (self.records, self.at, self.base) = (staged.bytes, 0, staged.offset);
        self.offset += self.records.len();
        result
    }

    /// Takes the payload of a block of this thread. `sink` gets the returns of open calls.
    pub(super) fn use_block(
        &mut self,
        block: &BlockRef,
        payload: Vec<u8>,
        limited: bool,
        blobs: &Blobs,
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<(), String> {
        let lap = block.header.lap;
        self.begun = false;
        let mut result = Ok(());
        if lap < self.lap {
            self.records = payload;
            self.records.clear();
            self.at = 0;
            return Err(format!("lap {lap} of thread {} appears twice, skipped", self.number));
        }
        let calls = block.header.calls;
        if lap > self.lap || self.offset == 0 && self.decoder.is_behind(calls) {
            if lap > self.lap && !limited {
                result = Err(format!("laps {} to {} of thread {} are missing", self.lap, lap - 1, self.number));
            }
            self.skip_to(lap, calls, record_at(&payload, 0).map_or(self.last, earliest), sink);
        }
        let read = |offset: usize| record_at(&payload, offset).unwrap_or_default();
        let completed = self.decoder.completed(true, blobs, read, sink);
        let damaged = completed.map_err(|what| format!("damaged record: {what}"));
        (self.records, self.at, self.base) = (payload, self.offset, 0);
        self.whole = true;
        result.and(damaged)
    }

    /// Is no record of this block's lap read yet?
    pub(super) fn is_new(&self, block: &BlockRef) -> bool {
        self.offset == 0 || block.header.lap != self.lap
    }

    /// The block of which the first records were read.
    pub(super) fn begun(&self) -> Option<BlockRef> {
        self.blocks.front().copied().filter(|_| self.begun)
    }

    /// The records at hand are not the last ones of the block. False if the block was refused.
    pub(super) fn put_back(&mut self, block: BlockRef) -> bool {
        let is_used = std::mem::take(&mut self.whole);
        if is_used {
            self.offset = self.base + self.records.len();
            self.begun = true;
            self.trials.begin();
            self.blocks.push_front(block);
        }
        is_used
    }

    /// Hands over the next record of the block at hand. If it is a call that repeats a kept one, and none whose record may
    /// change, the repeat is returned, too.
    #[inline(always)]
    pub(super) fn hand_over_unpacked(
        &mut self,
        unpacked: &Unpacked,
        blobs: &Blobs,
        keeps: Keeps,
        sink: &mut impl Sink,
    ) -> Result<Option<Repeat>, String> {
        let offset = self.offset;
        self.offset += unpacked.bytes();
        if keeps != Keeps::Nothing
            && let Some((repeat, may_be_counted)) = self.decoder.repeat(unpacked, offset, keeps == Keeps::Alike)
        {
            sink.repeat(repeat);
            return Ok(Some(repeat).filter(|_| !may_be_counted));
        }
        let (decoder, record) = (&mut self.decoder, &mut self.record);
        let func = decoder.func_of(unpacked);
        if func.is_none() {
            unpacked.write(record);
            if !is_call(record) {
                return decoder.record(blobs, record, offset).map(|event| sink.event(event)).map(|()| None);
            }
        }
        let likeness = func.filter(|_| sink.wants_likeness()).and_then(|func| decoder.likeness(func, unpacked));
        let result = sink.call(likeness, |call| {
            match func {
                Some(func) => decoder.unpacked_call(func, unpacked, offset, call),
                None => decoder.call(blobs, record, offset, call)?,
            }
            if keeps != Keeps::Nothing {
                call.slot = decoder.keep(call, unpacked, keeps == Keeps::Alike);
            }
            Ok(())
        });
        result.map(|()| None)
    }

    /// Counts calls of the block at hand, with records of so many bytes, that were handed over in rounds. Returns the place of
    /// the first one.
    pub(super) fn pass(&mut self, calls: usize, bytes: usize) -> u64 {
        self.offset += bytes;
        self.decoder.pass(calls as u64)
    }

    /// Nothing more comes of the block at hand: it was read to its end, or is gone.
    pub(super) fn end_block(&mut self, is_read: bool) {
        self.begun = false;
        self.blocks.pop_front();
        if self.decoder.make_room_to_keep() {
            self.trials.forget();
        }
        if is_read {
            self.end_lap();
        }
    }

    /// There are no more blocks: what was kept for calls that are like others is given back.
    pub(super) fn forget_records(&mut self) {
        self.decoder.forget_kept();
        self.record = Vec::new();
        if !self.has_records() {
            (self.records, self.at) = (Vec::new(), 0);
        }
    }

    fn end_lap(&mut self) {
        self.lap = self.lap.saturating_add(1);
        self.offset = 0;
        self.decoder.next_lap();
    }

    /// Unmaps the stage until it is needed again.
    pub(super) fn leave_stage(&mut self) {
        if let Some(stage) = self.stage.take() {
            self.owner = stage.owner();
        }
    }

    /// The thread of the process, as the system numbers it.
    pub(super) fn owner(&self) -> Option<u32> {
        self.stage.as_ref().map_or(self.owner, StageView::owner)
    }

    /// Time of the last event that was handed over by time.
    pub(super) fn last_time(&self) -> u64 {
        self.last
    }

    /// The buffer of the records at hand, to be filled anew.
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        self.at = 0;
        std::mem::take(&mut self.records)
    }

    /// The next event in the order of the records at hand; `None` when they are used up. An error is a damaged record
    /// that is skipped.
    pub(super) fn next_record(&mut self, blobs: &Blobs) -> Option<Result<LeanEvent, String>> {
        if self.at >= self.records.len() {
            if std::mem::take(&mut self.whole) {
                self.end_lap();
            }
            return None;
        }
        let Some(record) = record_at(&self.records, self.at) else {
            let what = format!("no record at {} of a block of {} bytes", self.at, self.records.len());
            self.at = self.records.len();
            return Some(Err(what));
        };
        let offset = self.base + self.at;
        self.at += record.len();
        Some(self.decoder.record(blobs, record, offset))
    }

    /// The likeness of the call that [`Thread::next_record`] gives next: see [`Sink::wants_likeness`].
    pub(super) fn next_likeness(&self) -> Option<u64> {
        self.decoder.likeness_of(record_at(&self.records, self.at)?)
    }

    /// The process is one of so many, which share the memory for calls that are kept.
    pub(super) fn keep_as_one_of(&mut self, ranks: usize) {
        self.decoder.share_kept_among(ranks);
    }

    /// See [`super::RankReader::keep_anew`].
    pub(super) fn keep_anew(&mut self) {
        self.decoder.keep_anew();
        self.trials.forget();
    }

    /// Time of the next event, by the records at hand.
    pub(super) fn next_time(&self) -> Option<u64> {
        let times = [self.head().map(|h| h.0), self.returns.last().map(|r| r.0)];
        times.into_iter().flatten().min().map(|t| t.max(self.last))
    }

    fn head(&self) -> Option<&(u64, LeanEvent)> {
        self.head.as_deref()?.as_ref()
    }

    pub(super) fn has_head(&self) -> bool {
        self.head().is_some()
    }

    /// Is it known which event is next, or that there is none?
    pub(super) fn is_ready(&self) -> bool {
        self.has_head() || self.is_known()
    }

    pub(super) fn set_head(&mut self, event: LeanEvent) {
        **self.head.get_or_insert_default() = Some((time_of(&event), event));
    }

    /// Keeps a return until its time comes.
    pub(super) fn add_return(&mut self, event: LeanEvent) {
        let time = time_of(&event);
        let place = self.returns.partition_point(|r| r.0 > time);
        self.returns.insert(place, (time, event));
    }

    /// The next event. Where other threads did something until a call returned (`until` is the time of their next
    /// event), its return is an event of its own, so that nobody knows the results of the call too early.
    pub(super) fn next_event(&mut self, until: u64) -> Option<LeanEvent> {
        self.last = self.next_time()?;
        let head_time = self.head().map_or(u64::MAX, |h| h.0);
        if self.returns.last().is_some_and(|r| r.0 <= head_time) {
            return self.returns.pop().map(|r| r.1);
        }
        let (_, mut event) = self.head.as_deref_mut()?.take()?;
        // Many polls are one record, and none of them had a result.
        if let RankEvent::Call(call) = &mut event
            && let Outcome::Returned(class) = call.outcome
            && call.t_return > until
            && call.polls == 0
        {
            let outs = std::mem::replace(&mut call.outs, Args::new(call.ins.len()));
            let (thread, index, time) = (call.thread, call.index, call.t_return);
            (call.outcome, call.t_return) = (Outcome::Open, 0);
            self.add_return(RankEvent::Return { thread, index, time, class, polls: 0, outs });
        }
        Some(event)
    }
}

fn time_of(event: &LeanEvent) -> u64 {
    match event {
        RankEvent::Call(call) => call.t_call,
        RankEvent::Return { time, .. } | RankEvent::System { time, .. } => *time,
        RankEvent::Definition(_) => 0,
    }
}
