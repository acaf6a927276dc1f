//! Readings of the library's performance variables while the job ran (`--pvars`), rank by rank.

use engine::worlds::Names;
use std::collections::BTreeMap;
use trace_format::definition::Id;
use trace_format::sample::Sample;

/// A variable of a process, of one communicator if it is bound to communicators.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub variable: String,
    pub process: i32,
    pub comm: Option<Id>,
}

/// The course of its readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub readings: u64,
    pub least: f64,
    pub most: f64,
    pub last: f64,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Samples(BTreeMap<Key, Summary>);

impl Samples {
    pub fn take(&mut self, process: i32, sample: &Sample) {
        let value = sample.total.value();
        let key = Key { variable: sample.variable.clone(), process, comm: sample.comm };
        let new = Summary { readings: 0, least: value, most: value, last: value };
        let summary = self.0.entry(key).or_insert(new);
        summary.readings += 1;
        summary.least = summary.least.min(value);
        summary.most = summary.most.max(value);
        summary.last = value;
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Summary)> {
        self.0.iter()
    }

    /// The note on the largest reading of a variable; `None`: another process or communicator had a larger one, or
    /// there is nothing to say.
    pub(crate) fn note(&self, key: &Key, names: &Names) -> Option<String> {
        let summary = self.0.get(key)?;
        let of_same = self.0.iter().filter(|(k, _)| k.variable == key.variable);
        let (first, _) = of_same.reduce(|a, b| if b.1.most > a.1.most { b } else { a })?;
        if first != key || summary.most <= 0.0 {
            return None;
        }
        let variable = &key.variable;
        let (what, name) = match () {
            () if variable.contains("unexpected") => ("unexpected messages", format!(" ({variable})")),
            () if variable.contains("posted") => ("posted receives", format!(" ({variable})")),
            () => (variable.as_str(), String::new()),
        };
        let rank = names.rename(&format!("rank {}", key.process));
        Some(format!("{what} grew to {} on {rank}{name}", summary.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::sample::Reading;

    fn sample(variable: &str, total: i64) -> Sample {
        let total = Reading::Whole(total);
        Sample { variable: variable.into(), comm: Some(1), total, most: total, place: 0, elements: 1 }
    }

    #[test]
    fn the_largest_reading_is_told_once() {
        let mut samples = Samples::default();
        for (process, total) in [(0, 0), (1, 0), (3, 7), (3, 20_000), (3, 5), (4, 20_000)] {
            samples.take(process, &sample("pml_ob1_unexpected_msgq_length", total));
            samples.take(process, &sample("zero", 0));
        }
        let names = Names::default();
        let notes: Vec<String> = samples.iter().filter_map(|(key, _)| samples.note(key, &names)).collect();
        assert_eq!(notes, ["unexpected messages grew to 20000 on rank 3 (pml_ob1_unexpected_msgq_length)"]);
        let key = |k: &&Key| k.process == 3 && k.variable != "zero";
        let summary = samples.iter().find(|(k, _)| key(k)).map(|(_, c)| *c);
        assert_eq!(summary, Some(Summary { readings: 3, least: 5.0, most: 20_000.0, last: 5.0 }));
    }
}
