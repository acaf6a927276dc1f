//! The runs that an exploration still has to make, from the matchings that some runs have shown.

use analyzer::observe::Conclusion;
use engine::Ways;
use report::{FindingKey, Report};
use rustc_hash::{FxHashMap, FxHashSet};
use trace_format::run::witness::{Take, Witness};

/// A run that may be made.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) witness: Witness,
    /// The run that showed it.
    pub(super) from: usize,
    /// Number of the witness there, if it is in a file.
    pub(super) number: Option<usize>,
    goal: Goal,
}

#[derive(Debug, Clone)]
enum Goal {
    /// A finding that is to come true.
    Potential(FindingKey),
    /// A matching that no run has had so far.
    Matching { matching: u64, place: u64 },
}

/// Rank, thread and number of each wildcard, with source and tag of what it takes.
type Content = Vec<(i32, u16, u64, i32, i32)>;

/// See the module.
pub(super) struct Plans {
    /// Findings that take standard sends which wait for their receives can come true.
    sync_sends: bool,
    /// In the order in which they became known.
    tasks: Vec<Task>,
    /// Matchings that took place.
    taken: FxHashSet<u64>,
    /// Matchings that took place, and matchings that have or had a task.
    known: FxHashSet<u64>,
    /// Contents of all witnesses that were or will be tried.
    witnesses: FxHashSet<Content>,
    /// Number of alternatives tried at these places.
    tried: FxHashMap<u64, usize>,
    /// Findings that came true.
    settled: FxHashSet<FindingKey>,
    /// The first run of which not all is known, and why.
    unknown: Option<(usize, &'static str)>,
    /// The message that each wildcard took in the runs, from run 1 on, and its call site.
    paths: Vec<Vec<(Take, String)>>,
}

/// The content of a witness, independent of its order.
fn content(witness: &Witness) -> Content {
    let mut takes: Vec<_> = witness.takes.iter().map(|t| (t.rank, t.thread, t.call, t.source, t.tag)).collect();
    takes.sort_unstable();
    takes
}

impl Task {
    pub(super) fn potential(&self) -> Option<&FindingKey> {
        match &self.goal {
            Goal::Potential(key) => Some(key),
            Goal::Matching { .. } => None,
        }
    }

    /// Did the wildcards take the messages of the witness? Wildcards that a hung run never called do not count.
    pub(super) fn was_followed(&self, ways: &Ways, hung: bool) -> bool {
        let same = |a: &Take, b: &Take| (a.rank, a.thread, a.call) == (b.rank, b.thread, b.call);
        ways.unknown.is_some()
            || self.witness.takes.iter().all(|wanted| match ways.path.iter().find(|took| same(took, wanted)) {
                Some(took) => (took.source, took.tag) == (wanted.source, wanted.tag),
                None => hung,
            })
    }
}

impl Plans {
    pub(super) fn new(sync_sends: bool) -> Plans {
        Plans {
            sync_sends,
            tasks: Vec::new(),
            taken: FxHashSet::default(),
            known: FxHashSet::default(),
            witnesses: FxHashSet::default(),
            tried: FxHashMap::default(),
            settled: FxHashSet::default(),
            unknown: None,
            paths: Vec::new(),
        }
    }

    /// Takes in the matchings of a run, and gives its report back. `task`: the task of the run.
    pub(super) fn learn(&mut self, run: usize, conclusion: Conclusion, task: Option<&Task>) -> Report {
        let Conclusion { report, ways, program, ranks, witnesses } = conclusion;
        self.paths.resize(run, Vec::new());
        self.paths[run - 1] = ways.path.iter().cloned().zip(ways.places.iter().cloned()).collect();
        self.witnesses.extend(task.map(|t| content(&t.witness)));
        // A matching that no library could have made leads nowhere.
        if ways.forbidden {
            if task.is_none() {
                self.unknown = Some((run, "messages were received in an order that MPI forbids"));
            }
            return report;
        }
        self.known.extend(&ways.taken);
        self.taken.extend(ways.taken);
        for potential in report.potentials() {
            let Some(witness) = witnesses.get(potential.witness.wrapping_sub(1)) else { continue };
            if potential.sync_sends && !self.sync_sends || !self.witnesses.insert(content(witness)) {
                continue;
            }
            let (number, goal) = (Some(potential.witness), Goal::Potential(potential.key));
            self.tasks.push(Task { witness: witness.clone(), from: run, number, goal });
        }
        for alternative in ways.alternatives {
            let witness = Witness { program: program.clone(), ranks, ..alternative.witness };
            if self.known.insert(alternative.matching) && self.witnesses.insert(content(&witness)) {
                let goal = Goal::Matching { matching: alternative.matching, place: alternative.place };
                self.tasks.push(Task { witness, from: run, number: None, goal });
            }
        }
        if let Some(why) = ways.unknown {
            self.unknown.get_or_insert((run, why));
        }
        report
    }

    /// The difference of a task's run from the run that showed it: the first wildcard that takes another message.
    pub(super) fn difference(&self, task: &Task) -> Option<String> {
        let path = self.paths.get(task.from.checked_sub(1)?)?;
        let same = |a: &Take, b: &Take| (a.rank, a.thread, a.call) == (b.rank, b.thread, b.call);
        let other = |a: &Take, b: &Take| (a.source, a.tag) != (b.source, b.tag);
        task.witness.takes.iter().find_map(|wanted| {
            let (took, place) = path.iter().find(|(took, _)| same(took, wanted) && other(took, wanted))?;
            let Take { rank, function, source, tag, .. } = wanted;
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            Some(format!(
                "seen where {function} of rank {rank}{at} takes the message of rank {source} with tag {tag}; in run {} it took \
                 that of rank {} with tag {}",
                task.from, took.source, took.tag
            ))
        })
    }

    /// The finding came true: its other witnesses need not be tried.
    pub(super) fn settle(&mut self, key: &FindingKey) {
        self.settled.insert(key.clone());
    }

    /// The next task: findings that may come true first, then matchings at places where none or few were tried.
    pub(super) fn next(&mut self) -> Option<Task> {
        self.forget_done();
        let order = |task: &Task| match &task.goal {
            Goal::Potential(_) => (0, 0),
            Goal::Matching { place, .. } => (1, self.tried.get(place).copied().unwrap_or(0)),
        };
        let at = (0..self.tasks.len()).min_by_key(|i| order(&self.tasks[*i]))?;
        let task = self.tasks.remove(at);
        if let Goal::Matching { place, .. } = task.goal {
            *self.tried.entry(place).or_default() += 1;
        }
        Some(task)
    }

    /// It could not be tried to its end.
    pub(super) fn give_back(&mut self, task: Task) {
        self.tasks.push(task);
    }

    fn forget_done(&mut self) {
        let (taken, settled) = (&self.taken, &self.settled);
        self.tasks.retain(|task| match &task.goal {
            Goal::Potential(key) => !settled.contains(key),
            Goal::Matching { matching, .. } => !taken.contains(matching),
        });
    }

    /// Number of runs that are still to be made, as far as it is known.
    pub(super) fn left(&mut self) -> usize {
        self.forget_done();
        self.tasks.len()
    }

    /// Matchings that took place.
    pub(super) fn matchings(&self) -> usize {
        self.taken.len()
    }

    /// Matchings that need not be found again.
    pub(super) fn known(&self) -> &FxHashSet<u64> {
        &self.known
    }

    /// A run of which not all is known, and why.
    pub(super) fn unknown(&self) -> Option<(usize, &'static str)> {
        self.unknown
    }
}
