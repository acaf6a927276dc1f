//! Sets of ranks in compact form: runs of first rank, count and step.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An arithmetic run of ranks: `first`, `first + step`, ... (`count` of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    pub first: i32,
    pub count: u32,
    pub step: i32,
}

/// An ordered list of ranks. The order matters: position is the rank in the group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ranks {
    runs: Vec<Run>,
}

impl Ranks {
    /// All ranks from 0 to `count - 1`.
    pub fn first_n(count: u32) -> Ranks {
        if count == 0 { Ranks::default() } else { Ranks { runs: vec![Run { first: 0, count, step: 1 }] } }
    }

    pub fn len(&self) -> usize {
        self.runs.iter().map(|r| r.count as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.runs.iter().flat_map(|r| (0..r.count as i32).map(move |i| r.first + i * r.step))
    }

    /// First, last and step of each run.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (i32, i32, i32)> + '_ {
        self.runs.iter().map(|r| (r.first, r.first + r.step * (r.count as i32 - 1), r.step))
    }

    /// The `index`-th rank of the list.
    pub fn get(&self, index: usize) -> Option<i32> {
        let mut left = index;
        for run in &self.runs {
            if left < run.count as usize {
                return Some(run.first + left as i32 * run.step);
            }
            left -= run.count as usize;
        }
        None
    }

    /// Position of `rank` in the list.
    pub fn position(&self, rank: i32) -> Option<usize> {
        let mut before = 0usize;
        for run in &self.runs {
            let delta = rank - run.first;
            if run.step == 0 {
                if delta == 0 {
                    return Some(before);
                }
            } else if delta % run.step == 0 {
                let k = delta / run.step;
                if k >= 0 && (k as u32) < run.count {
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
                if run.count == 1 {
                    run.step = rank - run.first;
                    run.count = 2;
                    continue;
                }
                if rank == run.first + run.step * run.count as i32 {
                    run.count += 1;
                    continue;
                }
                if run.count == 2 && run.step != 1 {
                    // Two unrelated ranks are two runs of one; the second may begin a longer run.
                    let second = run.first + run.step;
                    run.count = 1;
                    run.step = 1;
                    runs.push(Run { first: second, count: 2, step: rank - second });
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
            let last = run.first + run.step * (run.count as i32 - 1);
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
        let mut all = Vec::new();
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
                    if step == 0 || (last - first).signum() * step.signum() < 0 {
                        return Err(bad());
                    }
                    let mut r = first;
                    while (step > 0 && r <= last) || (step < 0 && r >= last) {
                        all.push(r);
                        r += step;
                    }
                }
                _ => all.push(range.parse().map_err(|_| bad())?),
            }
        }
        Ok(all.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
