//! Readings of performance variables of the MPI library (`--pvars`), and which are read how often.

use crate::definition::Id;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// One reading of a variable; of one with several elements (one for each rank of a communicator, say) their sum, and the
/// largest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Name of the performance variable.
    pub variable: String,
    /// The communicator that it was read of; `None`: it is bound to no object.
    pub comm: Option<Id>,
    /// Sum of all elements.
    pub total: Reading,
    /// The largest element.
    pub most: Reading,
    /// Place of the largest element, from 0.
    pub place: u32,
    /// Number of elements.
    pub elements: u32,
}

/// A number of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// The value of an integer variable.
    Whole(i64),
    /// The bits of a double.
    Real(u64),
}

impl Reading {
    /// Returns the number as a double; whole numbers beyond 2^53 are rounded.
    pub fn value(self) -> f64 {
        match self {
            Reading::Whole(value) => value as f64,
            Reading::Real(bits) => f64::from_bits(bits),
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reading::Whole(value) => write!(f, "{value}"),
            Reading::Real(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
        }
    }
}

/// The words of `--pvars`: `NAME,NAME@INTERVAL`, where both parts may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampling {
    /// Names of variables, in which `*` stands for anything.
    pub names: Vec<String>,
    /// Time from one reading to the next.
    pub interval: Duration,
}

/// The lengths of message queues, in the libraries that have them: Open MPI, and MPICH built to have them.
const QUEUES: [&str; 4] =
    ["pml_ob1_posted_recvq_length", "pml_ob1_unexpected_msgq_length", "posted_recvq_length", "unexpected_recvq_length"];
const INTERVAL: Duration = Duration::from_millis(100);

impl Sampling {
    /// Parses the value of `--pvars`. Without names it takes the lengths of message queues, without an interval 100 ms. The
    /// error says which part is no interval.
    pub fn parse(text: &str) -> Result<Sampling, String> {
        let (names, interval) = text.split_once('@').map_or((text, None), |(names, interval)| (names, Some(interval)));
        let mut names: Vec<String> =
            names.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned).collect();
        if names.is_empty() {
            names = QUEUES.map(str::to_owned).to_vec();
        }
        let interval = match interval {
            None => INTERVAL,
            Some(text) => duration(text).ok_or_else(|| format!("`{text}` is no interval, such as 50ms or 2s"))?,
        };
        Ok(Sampling { names, interval })
    }
}

fn duration(text: &str) -> Option<Duration> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let number: u64 = number.parse().ok().filter(|n| (1..=86_400_000).contains(n))?;
    match unit {
        "us" => Some(Duration::from_micros(number)),
        "ms" | "" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sampled_is_read() {
        let all = Sampling::parse("").unwrap();
        assert_eq!((all.names.len(), all.interval), (QUEUES.len(), INTERVAL));
        let some = Sampling::parse("a, b*@2s").unwrap();
        assert_eq!((some.names, some.interval), (vec!["a".to_owned(), "b*".to_owned()], Duration::from_secs(2)));
        assert_eq!(Sampling::parse("@50").unwrap().interval, Duration::from_millis(50));
        for wrong in ["@", "@0ms", "a@x", "a@1h"] {
            assert!(Sampling::parse(wrong).is_err(), "{wrong}");
        }
    }
}
