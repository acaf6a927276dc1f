//! Sets of ranks in compact form: runs of first rank, count and step.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An arithmetic run of ranks: `first`, `first + step`, ... (`count` of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Run {
    /// The first rank.
    first: i32,
    /// Number of ranks, at least 1.
    count: u32,
    /// Difference from one rank to the next; it may be 0 or negative.
    step: i32,
}

impl Run {
    /// The `index`-th rank; what [`Ranks::checked`] lets through is in the range of the type.
    fn at(&self, index: u32) -> i32 {
        (i64::from(self.first) + i64::from(self.step) * i64::from(index)) as i32
    }

    fn last(&self) -> i32 {
        self.at(self.count.saturating_sub(1))
    }

    /// The rank that would be the next one.
    fn next(&self) -> i64 {
        i64::from(self.first) + i64::from(self.step) * i64::from(self.count)
    }
}

/// An ordered list of ranks. The order matters: position is the rank in the group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Ranks {
    runs: Vec<Run>,
}

/// A list of ranks as a file has it, which may be anything.
#[derive(Deserialize)]
struct Unchecked {
    runs: Vec<Run>,
}

/// Longer lists are damage, or a slip of the pen.
const MOST: i64 = 1 << 20;
/// So are ranks beyond this.
const FARTHEST: i64 = 1 << 24;

impl TryFrom<Unchecked> for Ranks {
    type Error = &'static str;

    fn try_from(Unchecked { runs }: Unchecked) -> Result<Ranks, &'static str> {
        Ranks::checked(runs).ok_or("a list of ranks that cannot be")
    }
}

impl Ranks {
    /// Runs that hold ranks, and not more of them than can be.
    fn checked(mut runs: Vec<Run>) -> Option<Ranks> {
        runs.retain(|run| run.count > 0);
        let ranks = -FARTHEST..FARTHEST;
        let sound = |run: &Run| {
            let last = i64::from(run.first) + i64::from(run.step) * (i64::from(run.count) - 1);
            let steps = -2 * FARTHEST..2 * FARTHEST;
            ranks.contains(&run.first.into()) && ranks.contains(&last) && steps.contains(&run.step.into())
        };
        let len: u64 = runs.iter().map(|run| u64::from(run.count)).fold(0, u64::saturating_add);
        (runs.iter().all(sound) && len <= MOST as u64).then_some(Ranks { runs })
    }

    /// All ranks from 0 to `count - 1`.
    pub fn first_n(count: u32) -> Ranks {
        if count == 0 { Ranks::default() } else { Ranks { runs: vec![Run { first: 0, count, step: 1 }] } }
    }

    /// Returns the number of ranks.
    pub fn len(&self) -> usize {
        self.runs.iter().map(|r| r.count as usize).sum()
    }

    /// Is there no rank?
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the ranks in their order.
    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.runs.iter().flat_map(|r| (0..r.count).map(move |i| r.at(i)))
    }

    /// First, last and step of each run.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (i32, i32, i32)> + '_ {
        self.runs.iter().map(|r| (r.first, r.last(), r.step))
    }

    /// The `index`-th rank of the list.
    pub fn get(&self, index: usize) -> Option<i32> {
        let mut left = index;
        for run in &self.runs {
            if left < run.count as usize {
                return Some(run.at(left as u32));
            }
            left -= run.count as usize;
        }
        None
    }

    /// Position of `rank` in the list.
    pub fn position(&self, rank: i32) -> Option<usize> {
        let mut before = 0usize;
        for run in &self.runs {
            let (delta, step) = (i64::from(rank) - i64::from(run.first), i64::from(run.step));
            if step == 0 {
                if delta == 0 {
                    return Some(before);
                }
            } else if delta % step == 0 {
                let k = delta / step;
                if (0..i64::from(run.count)).contains(&k) {
                    return Some(before + k as usize);
                }
            }
            before += run.count as usize;
        }
        None
    }
}

impl FromIterator<i32> for Ranks {
    fn from_iter<I: IntoIterator<Item = i32>>(iter: I) -> Ranks {
        let mut runs: Vec<Run> = Vec::new();
        for rank in iter {
            if let Some(run) = runs.last_mut() {
                // A step of 0 has no spelling.
                if run.count == 1
                    && let Some(step) = rank.checked_sub(run.first).filter(|step| *step != 0)
                {
                    run.step = step;
                    run.count = 2;
                    continue;
                }
                if run.count > 1 && i64::from(rank) == run.next() {
                    run.count += 1;
                    continue;
                }
                if run.count == 2 && run.step != 1 {
                    // Two unrelated ranks are two runs of one; the second may begin a longer run.
                    let second = run.last();
                    run.count = 1;
                    run.step = 1;
                    let step = rank.checked_sub(second).filter(|step| *step != 0);
                    let (count, step) = step.map_or((1, 1), |step| (2, step));
                    runs.push(Run { first: second, count, step });
                    if count == 1 {
                        runs.push(Run { first: rank, count, step });
                    }
                    continue;
                }
            }
            runs.push(Run { first: rank, count: 1, step: 1 });
        }
        Ranks { runs }
    }
}

/// `0-3`, `0-6:2` (first-last:step), `5`, joined by commas.
impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for run in &self.runs {
            if !first {
                f.write_str(",")?;
            }
            first = false;
            let last = run.last();
            match (run.count, run.step) {
                (1, _) => write!(f, "{}", run.first)?,
                (2, 1) => write!(f, "{},{last}", run.first)?,
                (2, _) => write!(f, "{},{last}", run.first)?,
                (_, 1) => write!(f, "{}-{last}", run.first)?,
                (_, step) => write!(f, "{}-{last}:{step}", run.first)?,
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Ranks, String> {
        let (mut all, mut left) = (Vec::new(), MOST);
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let bad = || format!("`{part}` is not a rank or a range of ranks such as 0-3 or 0-6:2");
            let (range, step) = match part.split_once(':') {
                Some((range, step)) => (range, step.parse::<i32>().map_err(|_| bad())?),
                None => (part, 1),
            };
            match range.split_once('-') {
                Some((first, last)) if !first.is_empty() => {
                    let (first, last): (i32, i32) =
                        (first.parse().map_err(|_| bad())?, last.parse().map_err(|_| bad())?);
                    let (far, step) = (i64::from(last) - i64::from(first), i64::from(step));
                    if step == 0 || far.signum() * step.signum() < 0 {
                        return Err(bad());
                    }
                    let count = far / step + 1;
                    left -= count;
                    if left < 0 {
                        return Err(format!("`{part}` makes more ranks than there can be"));
                    }
                    all.extend((0..count).map(|i| (i64::from(first) + i * step) as i32));
                }
                _ => {
                    left -= 1;
                    all.push(range.parse().map_err(|_| bad())?);
                }
            }
        }
        Ok(all.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_several_times_is_printed_as_it_can_be_read() {
        for list in [vec![6, 6, 6, 7, 8], vec![6, 6], vec![3, 6, 6, 6], vec![1, 5, 5, 5, 9, 9, 2], vec![4; 9]] {
            let ranks: Ranks = list.iter().copied().collect();
            assert_eq!(ranks.iter().collect::<Vec<_>>(), list);
            assert_eq!(ranks.to_string().parse::<Ranks>().unwrap().iter().collect::<Vec<_>>(), list, "{ranks}");
        }
    }

    #[test]
    fn runs_are_compact_and_keep_the_order() {
        for (list, text) in [
            (vec![0, 1, 2, 3], "0-3"),
            (vec![0, 2, 4, 6], "0-6:2"),
            (vec![3, 2, 1, 0], "3-0:-1"),
            (vec![5], "5"),
            (vec![0, 1], "0,1"),
            (vec![0, 5, 6, 7], "0,5-7"),
            (vec![7, 1, 4], "7,1,4"),
        ] {
            let ranks: Ranks = list.iter().copied().collect();
            assert_eq!(ranks.to_string(), text);
            assert_eq!(ranks.iter().collect::<Vec<_>>(), list);
            assert_eq!(text.parse::<Ranks>().unwrap().iter().collect::<Vec<_>>(), list);
            for (i, r) in list.iter().enumerate() {
                assert_eq!(ranks.get(i), Some(*r));
                assert_eq!(ranks.position(*r), Some(i));
            }
            assert_eq!(ranks.get(list.len()), None);
            assert_eq!(ranks.position(99), None);
        }
    }
    #[test]
    fn what_cannot_be_ranks_is_refused() {
        let taken = |first, count, step| {
            let mut bytes = Vec::new();
            crate::codec::append(&vec![Run { first, count, step }], &mut bytes).unwrap();
            crate::codec::take::<Ranks>(&mut &bytes[..]).unwrap()
        };
        for (first, count, step) in [(i32::MIN, 2, -1), (0, u32::MAX, 1), (0, 1 << 19, i32::MAX), (i32::MAX, 1, 1)] {
            assert!(taken(first, count, step).is_err(), "{first} {count} {step}");
        }
        let some = taken(7, 3, -1).unwrap();
        assert_eq!(some.to_string(), "7-5:-1");
        assert_eq!((some.position(i32::MIN), some.position(5)), (None, Some(2)));
        assert!(taken(5, 0, 0).unwrap().is_empty());
        for text in ["0-2147483647", "-5", "2147483646-2147483647", "0-3:0", "0-16777215,0-9"] {
            _ = text.parse::<Ranks>();
        }
        assert!("0-2147483647".parse::<Ranks>().is_err());
        assert_eq!("2147483646-2147483647".parse::<Ranks>().unwrap().len(), 2);
        let far: Ranks = [i32::MIN, i32::MAX, 0, i32::MIN].into_iter().collect();
        assert_eq!(far.iter().collect::<Vec<_>>(), [i32::MIN, i32::MAX, 0, i32::MIN]);
    }
}
