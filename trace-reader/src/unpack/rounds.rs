//! Rounds of a loop that are packed like the round before them. If that round has left the cells as it found them, the same tokens
//! stand for the same records once more: only the times of these need to be unpacked.

use super::{Input, PackError, Records, Unpacker};
use trace_format::pack::bytes::{head_of, unzigzag};
use trace_format::pack::cells::{Cell, Cells};
use trace_format::pack::tokens::{AGAIN, AS_PREDICTED, IN_PLACE, OTHER, OTHER_CHANGED, PREDICTED};
use trace_format::pack::{CALL_HEAD, NONE};
use trace_format::record::MAX_DURATION;

/// When a call began and when it ended, in ticks.
pub type CallTimes = (u64, u64);

/// The last round that was unpacked, if it may come again.
#[derive(Default)]
pub(super) struct Round {
    tokens: Vec<Token>,
    /// The bytes of the tokens without their times.
    bytes: Vec<u8>,
    /// Bytes of its records.
    records: usize,
    /// Cells whose run (how often the same cell has followed in a row) grows with each round, and by how much.
    runs: Vec<(u16, u32)>,
    /// So many more rounds leave the cells as they are.
    left: usize,
    saved: Vec<Saved>,
    words: Vec<u64>,
    /// The place of each cell in `saved`; [`NONE`]: it has none.
    places: Vec<u16>,
}

/// A token of a call.
#[derive(Clone, Copy)]
struct Token {
    /// Bytes in front of its times and behind them; (0, 0): [`AS_PREDICTED`] and no more.
    head: u8,
    tail: u32,
    /// Word 2 of the record without the duration.
    class: u64,
}

/// A cell as it was in front of the round.
struct Saved {
    number: u16,
    cell: Cell,
    /// The place of its words, and behind them their strides.
    at: usize,
    /// How often a cell came behind it.
    followed: u32,
}

impl Round {
    /// The next record to be unpacked is of no round.
    pub(super) fn give_up(&mut self) {
        self.left = 0;
    }

    fn clear(&mut self, cells: &Cells) {
        self.tokens.clear();
        self.bytes.clear();
        self.runs.clear();
        self.saved.clear();
        self.words.clear();
        self.places.clear();
        self.places.resize(cells.list.len(), NONE);
        self.left = 0;
    }

    /// Remembers a cell before it may change. `None`: there is no such cell.
    fn save(&mut self, number: u16, cells: &Cells) -> Option<&mut Saved> {
        let place = self.places.get_mut(usize::from(number))?;
        if *place == NONE {
            let (cell, words, strides) = cells.get(number)?;
            *place = self.saved.len() as u16;
            self.saved.push(Saved { number, cell: *cell, at: self.words.len(), followed: 0 });
            self.words.extend_from_slice(words);
            self.words.extend_from_slice(strides);
        }
        self.saved.get_mut(usize::from(*place))
    }

    /// Remembers the cells that the next token may change. `None`: it makes a new one, or does not stand for one record.
    fn look_at(&mut self, cells: &Cells, mut input: Input) -> Option<()> {
        let next = match input.token().ok()? {
            AS_PREDICTED | PREDICTED => cells.predicted()?,
            OTHER | OTHER_CHANGED => cells.alternative()?,
            AGAIN | IN_PLACE => input.cell(cells).ok()?,
            _ => return None,
        };
        self.save(cells.last, cells)?.followed += 1;
        self.save(next, cells).map(|_| ())
    }

    /// Remembers the next token of the input, which ends at `end`. `None`: it does not stand for a call.
    fn add(&mut self, cells: &Cells, mut input: Input, end: usize) -> Option<()> {
        let begin = input.at;
        let token = input.token().ok()?;
        if matches!(token, AGAIN | IN_PLACE) {
            input.number().ok()?;
        }
        let head = input.at;
        if head_of(cells.key(cells.last)) != CALL_HEAD {
            return None;
        }
        input.number().ok()?;
        let class = input.number().ok()? & !MAX_DURATION;
        let tail = end.checked_sub(input.at)?;
        if (token, tail) == (AS_PREDICTED, 0) {
            self.tokens.push(Token { head: 0, tail: 0, class });
            return Some(());
        }
        self.bytes.extend_from_slice(input.bytes.get(begin..head)?);
        self.bytes.extend_from_slice(input.bytes.get(input.at..end)?);
        self.tokens.push(Token { head: (head - begin) as u8, tail: tail as u32, class });
        Some(())
    }

    /// The number of further rounds that leave the cells as this one has: as they were, but for longer runs. `None`: it has
    /// changed them.
    fn may_come_again(&mut self, cells: &Cells) -> Option<usize> {
        let mut most = usize::MAX;
        for Saved { number, cell: before, at, followed } in &self.saved {
            let (now, words, strides) = cells.get(*number)?;
            let known = self.words.get(*at..)?.split_at_checked(words.len())?;
            if !now.is_as(before) || words != known.0 || strides != known.1.get(..strides.len())? {
                return None;
            }
            let longer = now.run.wrapping_sub(before.run);
            if longer == 0 {
                continue;
            }
            // If another cell had come in between, the run would be shorter.
            if longer != *followed || before.run == 0 {
                return None;
            }
            most = most.min((now.steady_below.saturating_sub(now.run) / longer) as usize);
            self.runs.push((*number, longer));
        }
        Some(most)
    }

    /// Reads the times of a round from byte `at` on, behind `time`. `None`: other tokens come.
    #[inline]
    fn times(&self, packed: &[u8], (mut at, mut time): (usize, u64), times: &mut [CallTimes]) -> Option<(usize, u64)> {
        let mut bytes = &self.bytes[..];
        for (token, times) in self.tokens.iter().zip(times) {
            let next = packed.get(at..at + 8).and_then(|bytes| bytes.first_chunk());
            let (gap, second) = match next.and_then(|next| as_predicted(u64::from_le_bytes(*next))) {
                Some((numbers, len)) if token.is_plain() => {
                    at += len;
                    numbers
                }
                _ => token.numbers(packed, &mut at, &mut bytes)?,
            };
            if second & !MAX_DURATION != token.class {
                return None;
            }
            let begin = time.wrapping_add(unzigzag(gap));
            let duration = second & MAX_DURATION;
            time = begin.wrapping_add(duration);
            *times = (begin, begin.saturating_add(duration));
        }
        Some((at, time))
    }
}

impl Token {
    fn is_plain(self) -> bool {
        self.head == 0
    }

    /// The times behind this token; `bytes`: of this one and those behind it.
    #[inline(never)]
    fn numbers(self, packed: &[u8], at: &mut usize, bytes: &mut &[u8]) -> Option<(u64, u64)> {
        let mut input = Input { bytes: packed, at: *at };
        let head = if self.is_plain() { &[AS_PREDICTED][..] } else { take(bytes, self.head.into())? };
        if input.take(head.len()).ok()? != head {
            return None;
        }
        let numbers = (input.number().ok()?, input.number().ok()?);
        let tail = take(bytes, self.tail as usize)?;
        if input.take(tail.len()).ok()? != tail {
            return None;
        }
        *at = input.at;
        Some(numbers)
    }
}

fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// The two numbers behind an [`AS_PREDICTED`] in the first byte, and the length of all three, if they are in one word.
#[inline(always)]
fn as_predicted(word: u64) -> Option<((u64, u64), usize)> {
    // The last bytes of numbers have no bit 7.
    let ends = !word & 0x8080_8080_8080_8000;
    let first = ends & ends.wrapping_neg();
    let rest = ends ^ first;
    let second = rest & rest.wrapping_neg();
    if word as u8 != AS_PREDICTED || second == 0 {
        return None;
    }
    let numbers = (word & (first - 1)) >> 8;
    let behind = (word & (second - 1)) >> (first.trailing_zeros() + 1);
    Some(((squeeze(numbers), squeeze(behind)), (second.trailing_zeros() as usize + 1) / 8))
}

/// The number that has seven bits in each byte.
#[inline(always)]
fn squeeze(bytes: u64) -> u64 {
    let pairs = bytes & 0x007f_007f_007f_007f | (bytes & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    fours & 0x0fff_ffff | (fours >> 32) << 28
}

impl Unpacker {
    /// Unpacks so many records, or all that there are.
    pub(super) fn unpack_round<R: Records>(
        &mut self,
        packed: &[u8],
        lap: u64,
        records: usize,
        out: &mut R,
    ) -> Result<bool, PackError> {
        let mut round = self.round.take().unwrap_or_default();
        round.give_up();
        let (mut begun, mut known, mut done) = (NONE, true, 0);
        let result = self.unpack_while(packed, lap, out, |unpacker, input, out| {
            if done == 0 {
                begun = unpacker.cells.last;
                round.clear(&unpacker.cells);
            }
            if done == records {
                return Ok(false);
            }
            done += 1;
            let before = *input;
            known = known && !unpacker.is_in_run() && round.look_at(&unpacker.cells, before).is_some();
            unpacker.record(input, lap, out)?;
            known = known && round.add(&unpacker.cells, before, input.at).is_some();
            Ok(true)
        });
        if result.is_ok() && known && done == records && self.cells.last == begun {
            round.records = out.bytes();
            round.left = round.may_come_again(&self.cells).unwrap_or(0);
        }
        self.round = Some(round);
        result
    }

    /// Were the records that were unpacked last a round that may come again?
    pub fn knows_round(&self) -> bool {
        self.round.as_ref().is_some_and(|round| round.left > 0)
    }

    /// Goes on in the block as long as the round that was unpacked last comes again, for `most` rounds at most, but not to the
    /// end of the block. The times of their calls go into `times`. Returns the number of rounds, and the bytes of their records.
    pub fn rounds(&mut self, packed: &[u8], most: usize, times: &mut Vec<CallTimes>) -> (usize, usize) {
        times.clear();
        let Some(round) = self.round.as_deref_mut() else { return (0, 0) };
        let len = round.tokens.len();
        let total = packed.first_chunk().map_or(0, |total| u32::from_le_bytes(*total)) as usize;
        let rest = total.saturating_sub(self.done).saturating_sub(1);
        let most = most.min(round.left).min(rest / round.records.max(1));
        let mut rounds = 0;
        while rounds < most {
            times.resize((rounds + 1) * len, (0, 0));
            let of_round = times.get_mut(rounds * len..).unwrap_or_default();
            let Some(reached) = round.times(packed, (self.at, self.cells.time), of_round) else {
                times.truncate(rounds * len);
                break;
            };
            (self.at, self.cells.time) = reached;
            rounds += 1;
        }
        round.left -= rounds;
        for (cell, longer) in &round.runs {
            self.cells.has_been_followed(*cell, longer * rounds as u32);
        }
        let bytes = rounds * round.records;
        self.done += bytes;
        (rounds, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Unpacked;
    use super::super::tests::random;
    use super::*;
    use trace_format::pack::Packer;
    use trace_format::pack::bytes::put;
    use trace_format::record::{Commit, State};

    /// Pseudo-random numbers, always the same.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            (random(&mut self.0) >> 9) % n
        }

        fn is(&mut self, one_of: u64) -> bool {
            self.below(one_of) == 0
        }
    }

    /// A record without its lap: key, times, and the other words.
    type Record = (u64, (u64, u64), Vec<u64>);

    /// Calls of a loop: how often each is made in a row, how far its places are apart, after how many rounds its handle comes
    /// again.
    struct Loop {
        calls: Vec<(u16, u64, u64, u64)>,
        /// They are gone through so often in a round.
        times: u64,
    }

    impl Loop {
        fn any(random: &mut Random) -> Loop {
            let mut call = |func| {
                let often = if random.is(20) { 70 } else { 1 + random.below(4) };
                (func, often, 8 * random.below(2), 1 + random.below(8) / 6 * random.below(3))
            };
            let calls = (1..=3).map(&mut call).collect();
            Loop { calls, times: 1 + random.below(3) }
        }

        fn len(&self) -> u64 {
            self.times * self.calls.iter().map(|call| call.1).sum::<u64>()
        }

        /// So many rounds; now and then something is different.
        fn records(&self, random: &mut Random, rounds: u64, out: &mut Vec<Record>, time: &mut u64) {
            for round in 0..rounds {
                for (func, often, stride, turns) in (0..self.times).flat_map(|_| &self.calls) {
                    for i in 0..*often {
                        if random.is(1500) {
                            continue;
                        }
                        *time += [10, 200, 20_000, 5_000_000_000][(random.below(64) / 21) as usize];
                        let duration = [3, 90, 900, 3_000_000][(random.below(64) / 21) as usize];
                        let class = u64::from(random.is(1500)) << 48;
                        let mut words = vec![u64::from(*func), 0x1000 + stride * i, 0x70 + round % turns];
                        if random.is(1500) {
                            words[1] = random.below(1 << 20);
                        }
                        out.push((key(*func, State::Returned, 6), (*time, duration | class), words));
                        *time += duration;
                        if random.is(3000) {
                            out.push((key(9, State::System, 3), (*time, 0), vec![random.below(99)]));
                        }
                    }
                }
            }
        }
    }

    fn key(func: u16, state: State, words: u16) -> u64 {
        Commit { lap: 0, state: state as u8, func, words }.pack()
    }

    fn written(records: &[Record], lap: u64) -> Vec<u8> {
        let mut out = Vec::new();
        for (key, times, words) in records {
            Unpacked { cell: Default::default(), words, times: *times, key: *key, lap }.add_to(&mut out);
        }
        out
    }

    fn record(unpacked: Unpacked) -> Record {
        (unpacked.key, unpacked.times, unpacked.words.to_vec())
    }

    /// Reads a block in pieces of all kinds. How many records were not unpacked.
    fn read(
        random: &mut Random,
        unpacker: &mut Unpacker,
        (packed, lap): (&[u8], u64),
        len: usize,
        out: &mut Vec<Record>,
    ) -> usize {
        let (mut times, mut passed) = (Vec::new(), 0);
        unpacker.begin();
        loop {
            let from = out.len();
            if random.is(4) {
                let most = random.below(2000) as usize + 1;
                let look = |unpacked: Unpacked| {
                    out.push(record(unpacked));
                    true
                };
                if unpacker.look(packed, lap, most, look).unwrap() {
                    return passed;
                }
                assert!(!unpacker.knows_round());
                continue;
            }
            let len = if random.is(6) { 1 + random.below(50) as usize } else { len * (1 + random.below(2) as usize) };
            let last = unpacker.look_at_round(packed, lap, len, |unpacked| out.push(record(unpacked))).unwrap();
            if last {
                return passed;
            }
            let round = out[from..].to_vec();
            while unpacker.knows_round() {
                let most = 1 + random.below(6) as usize;
                let (rounds, bytes) = unpacker.rounds(packed, most, &mut times);
                assert_eq!(times.len(), rounds * round.len());
                assert_eq!(bytes, rounds * written(&round, 0).len());
                passed += times.len();
                for (i, (begin, end)) in times.iter().enumerate() {
                    let (key, (_, second), words) = &round[i % round.len()];
                    out.push((*key, (*begin, (end - begin) | second & !MAX_DURATION), words.clone()));
                }
                if rounds < most {
                    break;
                }
            }
        }
    }

    #[test]
    fn rounds_that_come_again_are_what_unpacking_says_of_them() {
        let (mut all, mut passed) = (0, 0);
        for seed in 1..400 {
            let mut random = Random(seed);
            // Some go on from the block before them, and have times that are near enough.
            let error = if random.is(3) { 40 } else { 0 };
            let mut packer = Packer::bounded(1 << 20, error);
            let (mut plain, mut unpacker) = (Unpacker::default(), Unpacker::default());
            let program = Loop::any(&mut random);
            let mut time = 1 << 40;
            for lap in 0..4 {
                let mut records = Vec::new();
                let rounds = 3000 / program.len();
                program.records(&mut random, rounds, &mut records, &mut time);
                let packed = packer.pack(&written(&records, lap)).expect("it is smaller").to_vec();
                let mut expected = Vec::new();
                plain.begin();
                assert!(
                    plain
                        .look(&packed, lap, usize::MAX, |unpacked| {
                            expected.push(record(unpacked));
                            true
                        })
                        .unwrap()
                );
                if error == 0 {
                    assert!(expected == records);
                }
                let mut got = Vec::new();
                let len = program.len() as usize;
                passed += read(&mut random, &mut unpacker, (&packed, lap), len, &mut got);
                all += got.len();
                let wrong = got.iter().zip(&expected).position(|(one, other)| one != other);
                assert_eq!((got.len(), wrong), (expected.len(), None), "program {seed}, block {lap}");
            }
        }
        assert!(passed > all / 4, "{passed} of {all}");
    }

    #[test]
    fn two_numbers_behind_a_token_are_read_at_once() {
        let mut random = Random(1);
        for _ in 0..20_000 {
            let mut number = || random.below(1 << 31) >> random.below(32) << random.below(12);
            let (first, second) = (number(), number());
            let mut bytes = vec![AS_PREDICTED];
            put(&mut bytes, first);
            put(&mut bytes, second);
            let len = bytes.len();
            bytes.resize(32, 0xff);
            let word = u64::from_le_bytes(*bytes.first_chunk().unwrap());
            assert_eq!(as_predicted(word), (len <= 8).then_some(((first, second), len)), "{first} {second}");
        }
        assert_eq!(as_predicted(PREDICTED.into()), None);
    }
}
