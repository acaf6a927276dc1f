//! Budgets of a call and of an event, in instructions and in allocations: times are too noisy to be held by a test, counts are
//! the same wherever the code is. They are kept in `tests/budgets.toml`, instructions for each way in which a release build is
//! made (`CARGO_PROFILE_RELEASE_LTO`, which CI turns off); `BLESS=1` writes those that were measured.

use crate::golden::is_blessing;
use crate::{root, run};
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counts by the name of what was counted.
pub type Counts = BTreeMap<String, f64>;

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// By callgrind.
    Instructions,
    /// How often memory is allocated, by `tests/bench/allocations.c`.
    Allocations,
}

impl Unit {
    /// Its plural.
    pub fn word(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Allocations => "allocations",
        }
    }

    /// The table that its budgets are in: the profile of a release build changes instructions alone.
    fn table(self, name: &str) -> String {
        match self {
            Self::Instructions => format!("{}.{name}", build()),
            Self::Allocations => format!("allocations.{name}"),
        }
    }

    /// By how much a count may be above its budget: laps of a stage do not begin at the same calls in each run, and what a lap
    /// allocates is none of its calls.
    fn room(self, budget: f64) -> f64 {
        match self {
            Self::Instructions => 0.03 * budget,
            Self::Allocations => 0.01,
        }
    }
}

const COMMAND: &str = "BLESS=1 cargo test -p mpivet-tests --test budgets";
const HEAD: &str = "\
# Instructions that mpivet takes for a call or an event, with 3 % of room, and how often it allocates memory in a call, with
# 0.01 of room: tests/tests/budgets.rs holds each build against them. Written by
# `BLESS=1 cargo test -p mpivet-tests --test budgets`; docs/benchmarks.md says more.
";

fn file() -> PathBuf {
    root().join("tests/budgets.toml")
}

/// The profile that releases are built with, as the name of a table.
fn build() -> String {
    let lto = std::env::var("CARGO_PROFILE_RELEASE_LTO").unwrap_or_else(|_| "thin".to_owned());
    format!("lto-{lto}")
}

/// The counts of all tables, by their names (`lto-thin.mpich.recording`).
fn parse(text: &str) -> Result<BTreeMap<String, Counts>> {
    fn flatten(name: &str, table: &toml::Table, all: &mut BTreeMap<String, Counts>) -> Result<()> {
        for (key, value) in table {
            match value {
                toml::Value::Table(inner) => {
                    let inner_name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                    flatten(&inner_name, inner, all)?;
                }
                toml::Value::Float(count) => _ = all.entry(name.to_owned()).or_default().insert(key.clone(), *count),
                _ => bail!("{name}.{key} is no count with a fraction"),
            }
        }
        Ok(())
    }
    let mut all = BTreeMap::new();
    flatten("", &text.parse().context("budgets.toml")?, &mut all)?;
    Ok(all)
}

fn write(all: &BTreeMap<String, Counts>) -> String {
    let mut text = HEAD.to_owned();
    for (name, counts) in all {
        _ = writeln!(text, "\n[{name}]");
        for (key, count) in counts {
            let digits = if *count < 10.0 { 2 } else { 1 };
            _ = writeln!(text, "{key} = {count:.digits$}");
        }
    }
    text
}

/// How often something is counted before it counts as above its budget.
const COUNTINGS: u32 = 5;

/// Holds the least of some countings against the budgets: where laps of a stage begin, and which thread waits for which, can only
/// add to what the code takes. One counting is enough where nothing is above its budget.
pub fn hold_least(unit: Unit, name: &str, mut count: impl FnMut() -> Result<Counts>) -> Result<()> {
    let mut least = count()?;
    for _ in 1..COUNTINGS {
        if hold(unit, name, &least).is_ok() {
            return Ok(());
        }
        for (what, again) in count()? {
            let known = least.entry(what).or_insert(again);
            *known = known.min(again);
        }
    }
    hold(unit, name, &least)
}

/// Fails if a count is above its budget in the table `name` of this build, or has none; with `BLESS=1` the counts become
/// the budgets.
pub fn hold(unit: Unit, name: &str, measured: &Counts) -> Result<()> {
    let name = unit.table(name);
    // Tests run side by side.
    static FILE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = parse(&std::fs::read_to_string(file()).unwrap_or_default())?;
    if is_blessing() {
        all.insert(name, measured.clone());
        return Ok(std::fs::write(file(), write(&all))?);
    }
    compare(unit, &name, all.get(&name).unwrap_or(&Counts::new()), measured)
}

fn compare(unit: Unit, name: &str, budgets: &Counts, measured: &Counts) -> Result<()> {
    let mut excess = String::new();
    let word = unit.word();
    for (what, count) in measured {
        let Some(budget) = budgets.get(what) else {
            _ = writeln!(excess, "{name}, {what}: {count:.2} {word}, and no budget");
            continue;
        };
        let more = count - budget;
        println!("{name}, {what}: {count:.2} {word}, budget {budget:.2} ({more:+.2})");
        if more > unit.room(*budget) {
            _ = writeln!(excess, "{name}, {what}: {count:.2} {word}, {more:.2} above the budget of {budget:.2}");
        } else if more < -unit.room(*budget) {
            println!("    {COMMAND} keeps what was won");
        }
    }
    ensure!(
        excess.is_empty(),
        "{excess}tests/budgets.toml has the budgets, and says with how much room. Find out where the {word} come from \
         (docs/benchmarks.md says how). If they are worth it, raise the budget with `{COMMAND}`, and say in the commit what \
         they buy."
    );
    Ok(())
}

/// Runs `command` under callgrind, whose files go to `dir`. The instructions of each dump, by the name that the program
/// gave it; those of the end of the program have the name "Program termination".
pub fn callgrind(options: &[&str], command: &Command, dir: &Path, limit: Duration) -> Result<BTreeMap<String, u64>> {
    _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]).args(options);
    valgrind.arg(format!("--callgrind-out-file={}", dir.join("callgrind").display()));
    valgrind.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
    let outcome = run::run(valgrind, limit).context("valgrind is needed here; scripts/install-deps installs it")?;
    ensure!(outcome.code == Some(0), "exit code {:?}\n{}", outcome.code, crate::vet::last_words(&outcome));
    let mut dumps = BTreeMap::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("callgrind")) {
            let text = std::fs::read_to_string(&path)?;
            let (name, count) = dump(&text).with_context(|| path.display().to_string())?;
            dumps.insert(name, count);
        }
    }
    Ok(dumps)
}

/// Name and sum of what callgrind has written.
fn dump(text: &str) -> Result<(String, u64)> {
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let trigger = value("desc: Trigger:").context("no trigger")?;
    let count = value("totals:").context("no totals")?.parse()?;
    Ok((trigger.trim_start_matches("Client Request: ").to_owned(), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, f64)]) -> Counts {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn what_is_above_its_budget_or_has_none_is_told() {
        let budgets = counts(&[("send", 100.0), ("receive", 200.0)]);
        let compare = |measured: &[(&str, f64)]| compare(Unit::Instructions, "x", &budgets, &counts(measured));
        compare(&[("send", 102.9), ("receive", 1.0)]).unwrap();
        let why = compare(&[("send", 103.1), ("receive", 200.0)]).unwrap_err().to_string();
        assert!(why.contains("x, send: 103.10 instructions, 3.10 above the budget of 100.00"), "{why}");
        assert!(why.contains("BLESS=1") && !why.contains("receive"), "{why}");
        let why = compare(&[("wait", 1.0)]).unwrap_err().to_string();
        assert!(why.contains("x, wait: 1.00 instructions, and no budget"), "{why}");
    }

    #[test]
    fn one_allocation_in_fifty_calls_is_told() {
        let none = counts(&[("send", 0.0)]);
        let compare = |count| compare(Unit::Allocations, "x", &none, &counts(&[("send", count)]));
        compare(0.005).unwrap();
        let why = compare(0.02).unwrap_err().to_string();
        assert!(why.contains("x, send: 0.02 allocations, 0.02 above the budget of 0.00"), "{why}");
    }

    /// `BLESS=1` must not make it otherwise.
    #[test]
    fn no_call_may_allocate_to_be_recorded() {
        let all = parse(&std::fs::read_to_string(file()).unwrap()).unwrap();
        let recording = all.iter().filter(|(name, _)| name.starts_with("allocations.") && name.ends_with(".recording"));
        let recording: Vec<_> = recording.collect();
        assert_eq!(recording.len(), 2, "both MPIs");
        assert!(recording.iter().all(|(_, counts)| counts.values().all(|count| *count == 0.0)), "{recording:?}");
    }

    #[test]
    fn budgets_are_read_as_they_were_written() {
        let all = BTreeMap::from([
            ("lto-thin.mpich.recording".to_owned(), counts(&[("comm-rank", 150.5), ("self", 200.0)])),
            ("lto-thin.analyzer".to_owned(), counts(&[("everything", 2000.0)])),
        ]);
        assert_eq!(parse(&write(&all)).unwrap(), all);
        assert!(parse("[a]\nb = 'c'").is_err());
    }

    #[test]
    fn a_dump_has_the_name_that_the_program_gave_it() {
        let text = "version: 1\ndesc: Trigger: Client Request: self 2\n\nfn=(1)\n16 400\ntotals: 400\n";
        assert_eq!(dump(text).unwrap(), ("self 2".to_owned(), 400));
        assert!(dump("totals: 400").is_err());
    }
}
