//! Retention: the part of a run that its trace keeps, by the words of options and environment.

use crate::file::Retention;

/// How far times may be from what was measured: a length of time, as `1us`.
pub const TIME_ERROR: &str = "MPIVET_TIME_ERROR";
/// The last megabytes of each rank's events that are kept.
pub const MAX_TRACE_SIZE: &str = "MPIVET_MAX_TRACE_SIZE";

/// Times may be off by a second at most.
const MAX_ERROR_NS: u64 = 1_000_000_000;
const MAX_MEGABYTES: u64 = 1 << 30;

/// A length of time in nanoseconds: a number with ns, us, ms or s behind it; 0 alone.
pub fn time_error(text: &str) -> Result<u64, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let length = match unit {
        "ns" => Some(1),
        "us" => Some(1_000),
        "ms" => Some(1_000_000),
        "s" => Some(1_000_000_000),
        "" if number == "0" => Some(1),
        _ => None,
    };
    let ns = number.parse::<u64>().ok().zip(length).and_then(|(n, length)| n.checked_mul(length));
    ns.filter(|ns| *ns <= MAX_ERROR_NS)
        .ok_or_else(|| format!("`{text}` is no length of time up to 1s, such as 500ns or 1us"))
}

/// A number of megabytes.
pub fn megabytes(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|n| *n <= MAX_MEGABYTES);
    number.ok_or_else(|| format!("`{text}` is no number of megabytes"))
}

impl Retention {
    /// The retention that the variables ask for, and their mistakes, which are passed over.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> (Retention, Vec<String>) {
        let mut errors = Vec::new();
        let mut number = |name: &str, parse: fn(&str) -> Result<u64, String>| {
            let value = variable(name).map(|text| parse(&text)).transpose();
            value.map_err(|e| errors.push(format!("{name}: {e}; it is passed over"))).ok().flatten().unwrap_or(0)
        };
        let time_error_ns = number(TIME_ERROR, time_error);
        let max_bytes = number(MAX_TRACE_SIZE, megabytes) << 20;
        (Retention { time_error_ns, max_bytes }, errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_units() {
        let all = [("0", 0), ("0us", 0), ("500ns", 500), ("1us", 1_000), ("2ms", 2_000_000), ("1s", MAX_ERROR_NS)];
        for (text, ns) in all {
            assert_eq!(time_error(text), Ok(ns), "{text}");
        }
        for wrong in ["", "1", "us", "2s", "1m", "-1us", "1.5us", "99999999999999999999ns", "18446744073709551615s"] {
            assert!(time_error(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_passed_over_and_said() {
        let (retention, errors) =
            Retention::from_environment(|name| (name == TIME_ERROR).then_some("x".into()).or(Some("64".into())));
        assert_eq!((retention, errors.len()), (Retention { time_error_ns: 0, max_bytes: 64 << 20 }, 1));
    }
}
