//! Witnesses of a run: how wildcards can be made to take what they could have taken.

use engine::Ways;
use report::symbols::Symbols;
use rustc_hash::FxHashMap;
use std::path::Path;
use trace_format::definition::Id;
use trace_format::run::job::Job;
use trace_format::run::witness::{Take, Witness};

/// The call sites of the wildcards of a run.
pub(super) fn places(ways: &Ways, symbols: &mut Symbols) -> Vec<String> {
    let mut known: FxHashMap<(i32, Id), String> = FxHashMap::default();
    let all = ways.path.iter().zip(&ways.sites);
    let mut place = |(take, site): (&Take, &Id)| {
        let look = || symbols.user_place(take.rank, *site).map_or_else(String::new, |(_, shown)| shown);
        known.entry((take.rank, *site)).or_insert_with(look).clone()
    };
    all.map(&mut place).collect()
}

/// Adds the program and its number of ranks to witnesses.
pub(super) fn named(witnesses: Vec<Witness>, job: &Job) -> Vec<Witness> {
    witnesses.into_iter().map(|w| Witness { program: job.program.clone(), ranks: job.ranks, ..w }).collect()
}

/// Writes the files for `mpivet run --replay` into the directory of the trace. Returns in words which file could not be
/// written.
pub(super) fn write(witnesses: &[Witness], dir: &Path) -> Option<String> {
    for (i, witness) in witnesses.iter().enumerate() {
        let path = dir.join(format!("witness-{}.json", i + 1));
        let known = Witness::read(&path).is_ok_and(|known| known == *witness);
        if !known && let Err(why) = witness.write(&path) {
            return Some(format!("cannot write {}: {why}", path.display()));
        }
    }
    None
}
