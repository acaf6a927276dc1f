//! Filters that matched nothing: a message says so, since a name is perhaps misspelt.

use crate::call_filter::Objects;
use crate::call_filter::{comms, is_comm};
use crate::cli::PrintPlan;
use std::collections::BTreeSet;
use trace_format::settings::suggestions::did_you_mean;
use trace_reader::call::Call;

/// Names of communicators and dumps that are remembered for advice.
const MAX_NAMES: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Unmatched {
    comms: BTreeSet<String>,
    /// Words of `--comm` that fit one.
    found: BTreeSet<String>,
    threads: BTreeSet<u16>,
    dumps: BTreeSet<String>,
}

impl Unmatched {
    pub(super) fn call(&mut self, call: &Call, objects: &Objects, plan: &PrintPlan) {
        self.threads.insert(call.thread);
        if plan.filter.comms.is_empty() {
            return;
        }
        for id in comms(call, objects) {
            for word in plan.filter.comms.iter().filter(|w| is_comm(w, id, objects)) {
                self.found.insert(word.clone());
            }
            if self.comms.len() < MAX_NAMES {
                self.comms.insert(objects.comm_name(id));
            }
        }
    }

    pub(super) fn dump(&mut self, name: &str) {
        if self.dumps.len() < MAX_NAMES {
            self.dumps.insert(name.to_owned());
        }
    }

    /// The filters that matched nothing, in words.
    pub(super) fn complaint(&self, plan: &PrintPlan) -> Option<String> {
        if let Some(word) = plan.filter.comms.iter().find(|w| !self.found.contains(*w)) {
            return Some(missing("communicator", word, &self.comms));
        }
        if let Some(thread) = plan.filter.threads.iter().find(|t| !self.threads.contains(t)) {
            let threads = self.threads.iter().map(u16::to_string).collect();
            return Some(missing("thread", &thread.to_string(), &threads));
        }
        let fits = |word: &str| self.dumps.iter().any(|d| trace_format::variables::fits(word, d));
        let word = plan.dumps.iter().flatten().find(|w| !fits(w))?;
        Some(missing("dump", word, &self.dumps))
    }
}

fn missing(what: &str, word: &str, there: &BTreeSet<String>) -> String {
    // Numbers are not misspelt.
    let names = there.iter().map(String::as_str).filter(|_| word.parse::<u32>().is_err());
    let near = did_you_mean(word, names);
    let there: Vec<&str> = there.iter().map(String::as_str).take(10).collect();
    let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    let near = near.map_or(String::new(), |near| format!("; {near}"));
    format!("there is no {what} `{word}` in what was read{near} (there: {there})")
}
