//! The worlds of a run: each MPI_COMM_WORLD has ranks of its own. All processes together are numbered, those of the
//! first world like their ranks; only reports say which world a process is of.

mod names;

pub use names::Chosen;
pub use names::Names;
use std::collections::BTreeMap;
use trace_format::file::{Launch, RankHeader};

/// Number of a process of the run.
pub type Process = i32;

/// One MPI_COMM_WORLD.
#[derive(Debug, Clone)]
struct World {
    launch: Launch,
    size: i32,
    /// Number of its rank 0.
    first: Process,
    /// Host and parent process of the ranks that are known.
    members: BTreeMap<i32, (String, u32)>,
    started: u64,
}

/// Which processes belong together, found from what each says of its start.
#[derive(Debug, Clone, Default)]
pub struct Worlds {
    list: Vec<World>,
    /// More processes than this are taken for damage, if it is not [`MAX_RANKS`].
    most: Option<Process>,
}

/// More processes than this are taken for damage.
const MAX_RANKS: i32 = 1 << 20;

/// Missing processes of a run that is over, beside the traces that there are: a small file may say of large numbers that they are.
const MAX_MISSING: usize = 1 << 10;

const MAX_PER_TRACE: usize = 1 << 6;

impl Worlds {
    /// There are this many traces, and there will be no more.
    pub fn expect(&mut self, traces: usize) {
        let most = MAX_MISSING.saturating_add(traces.saturating_mul(MAX_PER_TRACE));
        self.most = Some(i32::try_from(most).unwrap_or(MAX_RANKS).min(MAX_RANKS));
    }

    /// More processes than this are taken for damage.
    pub fn most(&self) -> Process {
        self.most.unwrap_or(MAX_RANKS)
    }

    /// The number of the process that wrote `header`. `plain`: its trace has the name of a rank of the first world.
    /// `None`: it is of an earlier run in the same directory, or its world is not known yet.
    pub fn place(&mut self, header: &RankHeader, plain: bool) -> Option<Process> {
        let (rank, launch) = (header.rank, &header.launch);
        let most = self.most();
        if !(0..most).contains(&rank) {
            return None;
        }
        let place = match self.list.iter().position(|w| w.takes(header)) {
            Some(place) => place,
            None => {
                let mut first = 0;
                if let Some(last) = self.list.last() {
                    let older = self.list.first().is_some_and(|w| header.start_unix_ns < w.started);
                    if plain || header.size <= rank || header.size > most || launch.spawned && older {
                        return None;
                    }
                    first = last.first.saturating_add(last.size);
                    if first.saturating_add(header.size) > most {
                        return None;
                    }
                }
                let (launch, members) = (launch.clone(), BTreeMap::new());
                self.list.push(World { launch, size: header.size, first, members, started: header.start_unix_ns });
                self.list.len() - 1
            }
        };
        let alone = self.list.len() == 1;
        let world = &mut self.list[place];
        if !alone && rank >= world.size {
            return None;
        }
        world.started = world.started.min(header.start_unix_ns);
        world.members.insert(rank, (header.host.clone(), launch.parent));
        Some(world.first + rank)
    }

    /// The size of the first world, as long as it is the only one: headers may be damaged, and most of them are right.
    pub fn settle_first(&mut self, size: i32) {
        if let [only] = &mut self.list[..] {
            only.size = size;
        }
    }

    pub fn names(&self) -> Names {
        Names::new(self.list.iter().map(|w| w.size))
    }

    /// Number of processes, those without a trace included.
    pub fn processes(&self) -> i32 {
        self.list.last().map_or(0, |w| w.first + w.size)
    }

    /// First process and size of each world, and whether it was spawned.
    pub fn iter(&self) -> impl Iterator<Item = (Process, i32, bool)> + '_ {
        self.list.iter().map(|w| (w.first, w.size, w.launch.spawned))
    }
}

impl World {
    fn takes(&self, header: &RankHeader) -> bool {
        let launch = &header.launch;
        if launch.spawned != self.launch.spawned || launch.namespace != self.launch.namespace {
            return false;
        }
        let free = !self.members.contains_key(&header.rank);
        if !launch.namespace.is_empty() {
            return free;
        }
        let here = (header.host.clone(), launch.parent);
        if launch.first_sibling != 0 {
            let same = self.members.values().any(|m| *m == here);
            return free && same && launch.first_sibling == self.launch.first_sibling;
        }
        // Ranks on other hosts have other parents; those of one job on one host have the same one.
        let same = self.members.values().any(|m| *m == here);
        let elsewhere = header.size == self.size && !self.members.values().any(|m| m.0 == here.0);
        free && (same || elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(rank: i32, size: i32, launch: Launch) -> RankHeader {
        let header = trace_reader::synthetic::header(rank, size);
        RankHeader { ticks_per_second: 1, start_unix_ns: 5, launch, ..header }
    }

    fn space(namespace: &str, spawned: bool) -> Launch {
        Launch { namespace: namespace.into(), spawned, ..Launch::default() }
    }

    fn siblings(first_sibling: u32) -> Launch {
        Launch { parent: 7, first_sibling, spawned: true, ..Launch::default() }
    }

    #[test]
    fn worlds_are_told_by_their_launch() {
        let mut worlds = Worlds::default();
        assert_eq!(worlds.place(&header(1, 2, space("a", false)), true), Some(1));
        assert_eq!(worlds.place(&header(1, 2, space("c", true)), false), Some(3));
        assert_eq!(worlds.place(&header(0, 3, space("b", true)), false), Some(4));
        assert_eq!(worlds.place(&header(0, 2, space("c", true)), false), Some(2));
        assert_eq!(worlds.place(&header(0, 2, space("a", false)), true), Some(0));
        assert_eq!(worlds.processes(), 7);
    }

    #[test]
    fn children_of_one_proxy_are_told_by_their_first_sibling() {
        let mut worlds = Worlds::default();
        worlds.place(&header(0, 1, Launch { parent: 7, ..Launch::default() }), true);
        assert_eq!(worlds.place(&header(1, 2, siblings(20)), false), Some(2));
        assert_eq!(worlds.place(&header(1, 2, siblings(30)), false), Some(4));
        assert_eq!(worlds.place(&header(0, 2, siblings(20)), false), Some(1));
    }

    #[test]
    fn what_an_earlier_run_left_is_no_world() {
        let mut worlds = Worlds::default();
        worlds.place(&header(0, 2, space("now", false)), true);
        assert_eq!(worlds.place(&header(2, 4, space("before", false)), true), None);
        let old = RankHeader { start_unix_ns: 1, ..header(0, 1, space("before.1", true)) };
        assert_eq!(worlds.place(&old, false), None);
        assert_eq!(worlds.processes(), 2);
    }

    #[test]
    fn a_second_job_is_a_world_of_its_own() {
        let mut worlds = Worlds::default();
        let job = |parent| Launch { parent, ..Launch::default() };
        assert_eq!(worlds.place(&header(0, 2, job(7)), true), Some(0));
        assert_eq!(worlds.place(&header(0, 2, job(8)), false), Some(2));
        assert_eq!(worlds.place(&header(1, 2, job(8)), false), Some(3));
        assert_eq!(worlds.place(&header(1, 2, job(7)), true), Some(1));
    }
}
