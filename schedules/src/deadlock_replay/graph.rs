//! The wait-for graph at one moment of a replay.

use super::Id;
use rustc_hash::{FxHashMap, FxHashSet};

/// The threads that an operation waits for.
pub(super) enum Dependence {
    /// All of these threads.
    Threads(Vec<u32>),
    /// One of these threads.
    Any(Vec<u32>),
    Never,
    /// It may be complete soon.
    Unknown,
}

pub(super) struct Waits {
    pub(super) any: bool,
    pub(super) ops: Vec<(Id, Dependence)>,
}

/// By thread: the operations that it waits for; `None`: it does not wait.
pub(super) struct Graph {
    pub(super) waits: Vec<Option<Waits>>,
}

impl Graph {
    /// Threads that can never continue, even if these operations were complete.
    pub(super) fn dead(&self, granted: &FxHashSet<Id>) -> FxHashSet<u32> {
        let mut dead: Vec<bool> = self.waits.iter().map(Option::is_some).collect();
        let mut left: Vec<u32> = (0..self.waits.len() as u32).filter(|l| dead[*l as usize]).collect();
        loop {
            let before = left.len();
            left.retain(|thread| {
                let stays = self.waits[*thread as usize].as_ref().is_some_and(|w| w.keep(&dead, granted));
                dead[*thread as usize] = stays;
                stays
            });
            if left.len() == before {
                return left.into_iter().collect();
            }
            // The alternating direction takes a chain of threads that wait for each other in one pass, whichever way
            // it runs.
            left.reverse();
        }
    }

    fn next(&self, thread: u32, dead: &FxHashSet<u32>) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        for (_, on) in self.waits[thread as usize].iter().flat_map(|w| &w.ops) {
            if let Dependence::Threads(threads) | Dependence::Any(threads) = on {
                all.extend(threads.iter().copied().filter(|l| dead.contains(l)));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Dead threads that hold each other and wait for no other dead ones, or wait for something that never comes;
    /// sorted by their lowest.
    pub(super) fn causes(&self, dead: &FxHashSet<u32>) -> Vec<Vec<u32>> {
        let mut threads: Vec<u32> = dead.iter().copied().collect();
        threads.sort_unstable();
        let next: FxHashMap<u32, Vec<u32>> = threads.iter().map(|l| (*l, self.next(*l, dead))).collect();
        let mut parts: Vec<Vec<u32>> = components(&threads, &next);
        // A cause is a component with no way out.
        parts.retain(|part| part.iter().all(|l| next[l].iter().all(|other| part.binary_search(other).is_ok())));
        parts.sort_unstable();
        parts
    }
}

impl Waits {
    /// Does it keep waiting if these threads do nothing more?
    fn keep(&self, dead: &[bool], granted: &FxHashSet<Id>) -> bool {
        let is_dead = |thread: &u32| dead.get(*thread as usize) == Some(&true);
        let open = |(id, on): &(Id, Dependence)| {
            !granted.contains(id)
                && match on {
                    Dependence::Threads(threads) => threads.iter().any(is_dead),
                    Dependence::Any(threads) => threads.iter().all(is_dead),
                    Dependence::Never => true,
                    Dependence::Unknown => false,
                }
        };
        if self.any { self.ops.iter().all(open) } else { self.ops.iter().any(open) }
    }
}

/// Strongly connected components of the threads, each ascending (Tarjan, without recursion).
fn components(threads: &[u32], next: &FxHashMap<u32, Vec<u32>>) -> Vec<Vec<u32>> {
    /// The number of a thread's visit, and the earliest visit on the path that it reaches.
    struct Visit {
        at: usize,
        low: usize,
        on_path: bool,
    }
    let mut visits: FxHashMap<u32, Visit> = FxHashMap::default();
    let (mut path, mut parts) = (Vec::new(), Vec::new());
    for root in threads {
        let mut work = vec![(*root, 0usize)];
        if visits.contains_key(root) {
            continue;
        }
        while let Some((thread, step)) = work.pop() {
            if step == 0 {
                let at = visits.len();
                visits.insert(thread, Visit { at, low: at, on_path: true });
                path.push(thread);
            }
            if let Some(other) = next.get(&thread).and_then(|n| n.get(step)) {
                work.push((thread, step + 1));
                match visits.get(other).map(|m| (m.at, m.on_path)) {
                    None => work.push((*other, 0)),
                    Some((at, true)) => _ = visits.entry(thread).and_modify(|m| m.low = m.low.min(at)),
                    Some(_) => {}
                }
                continue;
            }
            let Some((at, low)) = visits.get(&thread).map(|m| (m.at, m.low)) else { continue };
            if at == low {
                let begin = path.iter().rposition(|l| *l == thread).unwrap_or(0);
                let mut part = path.split_off(begin);
                part.iter().for_each(|l| _ = visits.entry(*l).and_modify(|m| m.on_path = false));
                part.sort_unstable();
                parts.push(part);
            }
            if let Some((before, _)) = work.last() {
                _ = visits.entry(*before).and_modify(|m| m.low = m.low.min(low));
            }
        }
    }
    parts
}
