//! Loads and stores of the program on memory of its windows, which `--precise` has noted: they are written down between the calls.

use crate::call::sites;
use crate::job::config;
use crate::precise::windows;
use crate::state::thread::Thread;
use recorder::in_flight::How;
use rustc_hash::FxHashMap;
use trace_format::system::SystemEvent;
use trace_format::touched::Touched;

/// More runs of bytes at one place of the program are not kept.
const MOST_RUNS: usize = 1 << 10;

/// Stores, not loads; and the return addresses.
type Place = (bool, Vec<u64>);

/// A call of MPI is about to be recorded: the loads and stores since the last one go in front of it.
#[inline]
pub(crate) fn write_down(thread: &mut Thread) {
    if windows::is_any() {
        write_all(thread);
    }
}

#[cold]
fn write_all(thread: &mut Thread) {
    let mut places: FxHashMap<Place, Vec<(u64, u64)>> = FxHashMap::default();
    for access in windows::take_noted() {
        let stores = match access.how {
            How::Store | How::SomeStore | How::KernelStore => true,
            How::Load | How::KernelLoad => false,
            How::Release | How::Any => continue,
        };
        places.entry((stores, access.frames().to_vec())).or_default().push((access.address, access.bytes));
    }
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort();
    for ((stores, frames), runs) in places {
        let site = sites::intern(frames.get(..config::stack_depth()).unwrap_or(&frames));
        let touched = Touched { call: thread.stage.calls(), stores, site, runs: merged(runs) };
        thread.system(&SystemEvent::Touched(touched));
    }
}

/// Runs of bytes that touch each other are one.
fn merged(mut runs: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    runs.sort_unstable();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (from, bytes) in runs {
        let is_full = all.len() >= MOST_RUNS;
        match all.last_mut() {
            Some((first, long)) if from <= first.saturating_add(*long) => {
                *long = (*long).max((from - *first).saturating_add(bytes));
            }
            _ if is_full => break,
            _ => all.push((from, bytes)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn runs_that_touch_are_one() {
        let runs = vec![(16, 4), (0, 4), (4, 4), (6, 1), (u64::MAX, 1)];
        assert_eq!(merged(runs), [(0, 8), (16, 4), (u64::MAX, 1)]);
    }
}
