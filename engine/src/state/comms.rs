//! Communicators, windows and files, unified across ranks: a rank knows its objects by numbers of its own; the one
//! object behind them is found by where it was made (which collective of which communicator).

use super::channels::Channels;
use super::epochs::Epochs;
use super::file_accesses::FileAccesses;
use super::findings::Findings;
use super::mailbox::Mailbox;
use super::space::Space;
use super::window::Window;
use crate::collections::{Indexed, Slab};
use rustc_hash::FxHashMap;
use trace_format::definition::{COMM_SELF, COMM_WORLD, Id, NULL_ID, Neighbors, UNKNOWN_ID};
use trace_format::mpi::Kind;
use trace_format::ranks::Ranks;

/// Number of a communicator, window or file of the whole run.
pub(crate) type CommIx = u32;

/// An ordered list of world ranks with quick look-up both ways.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// `first`, `first + step`, ...; used when `list` is empty.
    first: i32,
    step: i32,
    len: u32,
    list: Vec<i32>,
    places: FxHashMap<i32, u32>,
}

impl Group {
    pub(crate) fn new(ranks: &Ranks) -> Group {
        let list: Vec<i32> = ranks.iter().collect();
        let step = if list.len() > 1 { list[1].wrapping_sub(list[0]) } else { 1 };
        let len = list.len() as u32;
        let first = list.first().copied().unwrap_or(0);
        if step != 0 && list.windows(2).all(|w| w[1].wrapping_sub(w[0]) == step) {
            return Group { first, step, len, ..Group::default() };
        }
        let places = list.iter().enumerate().map(|(i, r)| (*r, i as u32)).collect();
        Group { first, step, len, list, places }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn get(&self, index: i32) -> Option<i32> {
        if index < 0 || index as u32 >= self.len {
            return None;
        }
        Some(if self.list.is_empty() {
            self.first.wrapping_add(index.wrapping_mul(self.step))
        } else {
            self.list[index as usize]
        })
    }

    pub(crate) fn position(&self, rank: i32) -> Option<u32> {
        if !self.list.is_empty() {
            return self.places.get(&rank).copied();
        }
        let (delta, step) = (i64::from(rank) - i64::from(self.first), i64::from(self.step));
        let k = if delta % step == 0 { delta / step } else { -1 };
        (0..i64::from(self.len)).contains(&k).then_some(k as u32)
    }

    /// Has `other` these processes in this order? Whatever their number, if they are `first`, `first + step`, ...
    pub(crate) fn is(&self, other: &Group) -> bool {
        (self.first, self.step, self.len) == (other.first, other.step, other.len) && self.list == other.list
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.len as i32).filter_map(|i| self.get(i))
    }
}

/// The key that makes an object the same one on all its ranks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CommKey {
    /// MPI_COMM_WORLD, by its first process.
    World(i32),
    /// An intercommunicator between worlds, by the number of the link.
    Bridge(u64),
    /// MPI_COMM_SELF of a rank.
    Own(i32),
    /// Made by the collective number `index` of `parent`; the first rank tells the parts of a split apart.
    Child { parent: CommIx, index: u64, first: i32 },
    /// Window or file made by a collective.
    Object { parent: CommIx, index: u64 },
    /// The calls of a group that make a communicator (MPI_Comm_create_group, MPI_Comm_create_from_group), by tag.
    GroupCalls { parent: Option<CommIx>, ranks: Ranks, tag: i64, text: String },
    /// Intercommunicator of two groups (the one with the lower first rank first), n-th of its kind.
    Inter { low: Ranks, high: Ranks, tag: i64, nth: u64 },
    /// Made where mpivet did not look.
    Nth { kind: Kind, low: Ranks, high: Ranks, nth: u64 },
}

impl CommKey {
    /// In the place of a parent that is forgotten.
    pub(crate) const NOBODY: CommIx = CommIx::MAX;

    /// The object that it was made on, by which it is found.
    pub(crate) fn parent(&self) -> Option<CommIx> {
        match self {
            CommKey::Child { parent, .. } | CommKey::Object { parent, .. } => Some(*parent),
            CommKey::GroupCalls { parent, .. } => *parent,
            _ => None,
        }
    }

    /// Is it no object, but the order of the calls of a group?
    pub(crate) fn is_of_group(&self) -> bool {
        matches!(self, CommKey::GroupCalls { .. })
    }
}

/// Groups may be larger than the run, since they may have processes outside of it; by not more than this.
const MAX_OUTSIDE: usize = 1 << 12;

/// One communicator, window or file of the run.
pub(crate) struct Comm {
    /// The group; of an intercommunicator the one with the lower first rank.
    pub(crate) a: Group,
    pub(crate) b: Option<Group>,
    /// It has processes outside MPI_COMM_WORLD, of which there is no trace.
    pub(crate) foreign: bool,
    /// All members can name all others: see [`crate::model::Model::look_for_half_known`].
    pub(crate) closed: bool,
    pub(crate) half_known: bool,
    pub(crate) space: Space,
    pub(crate) partitioned: Channels,
    /// The epochs of a window.
    pub(crate) epochs: Epochs,
    /// The accesses to a window, once a process has made it.
    pub(crate) window: Option<Box<Window>>,
    /// The accesses to a file, once a process has opened it.
    pub(crate) file: Option<Box<FileAccesses>>,
    /// Messages under way, by the world rank of their destination.
    pub(crate) boxes: Indexed<i32, Mailbox>,
    /// A wrong collective was reported: what follows on this communicator follows from it.
    pub(crate) spoiled: bool,
    /// Made by a collective that was found wrong: whatever is done on it may follow from that.
    pub(crate) made_wrongly: bool,
    /// Findings about its collectives: dropped if their order turns out to be uncertain.
    pub(crate) findings: Findings,
    pub(crate) key: CommKey,
    /// Ranks that know the object already.
    known_to: u32,
    /// Never given to another object, as its index is.
    pub(crate) serial: u32,
}

impl Comm {
    pub(crate) fn size(&self) -> u32 {
        self.a.len() + self.b.as_ref().map_or(0, Group::len)
    }

    /// Its name in the standard.
    pub(crate) fn predefined_name(&self) -> Option<&'static str> {
        match self.key {
            CommKey::World(_) => Some("MPI_COMM_WORLD"),
            CommKey::Own(_) => Some("MPI_COMM_SELF"),
            _ => None,
        }
    }

    /// Not all of its members know who is in it, so that what they do on it is not known as a whole.
    pub(crate) fn is_foreign(&self) -> bool {
        self.foreign || self.half_known
    }

    /// Place among all its processes.
    pub(crate) fn position(&self, rank: i32) -> Option<u32> {
        let b = || self.b.as_ref().and_then(|b| b.position(rank)).map(|p| p + self.a.len());
        self.a.position(rank).or_else(b)
    }

    /// World rank of the process at a place.
    pub(crate) fn member(&self, position: u32) -> i32 {
        let n = self.a.len();
        let rank = if position < n {
            self.a.get(position as i32)
        } else {
            self.b.as_ref().and_then(|b| b.get((position - n) as i32))
        };
        rank.unwrap_or(-1)
    }

    /// The group that ranks in calls of the process at `position` refer to.
    pub(crate) fn peers(&self, position: u32) -> &Group {
        peers(&self.a, self.b.as_ref(), position)
    }

    /// First place of the group that [`Comm::peers`] gives.
    pub(crate) fn peers_at(&self, position: u32) -> u32 {
        if self.b.is_some() && position < self.a.len() { self.a.len() } else { 0 }
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = i32> + '_ {
        self.a.iter().chain(self.b.iter().flat_map(Group::iter))
    }
}

/// The group that ranks in calls of the process at `position` refer to: of two groups the other one, or the only one.
pub(crate) fn peers<'a>(a: &'a Group, b: Option<&'a Group>, position: u32) -> &'a Group {
    b.filter(|_| position < a.len()).unwrap_or(a)
}

/// An object as one rank sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) ix: CommIx,
    /// Place of the rank among all processes of the object.
    pub(crate) position: u32,
}

/// How the neighbours in a topology are ordered (MPI 4.1 section 8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topology {
    /// Dimension by dimension, in the negative direction and then in the positive one.
    Grid,
    /// Each process names edges of its own.
    Graph,
    /// All processes name all edges (MPI_Graph_create).
    WholeGraph,
}

/// A rank's knowledge of its objects.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) members: FxHashMap<(Kind, Id), Option<Member>>,
    /// The communicator of the last message, which holds as long as this is [`crate::model::Model::epoch`].
    pub(crate) last_comm: Option<(u32, Id, Member)>,
    pub(crate) groups_of: FxHashMap<Id, (Ranks, Option<Ranks>)>,
    pub(crate) groups: FxHashMap<Id, Ranks>,
    /// Neighbours of this rank in its communicators with a topology.
    pub(crate) neighbors: FxHashMap<Id, Neighbors>,
    /// Kinds of these topologies.
    pub(crate) topologies: FxHashMap<Id, Topology>,
    /// Communicators of windows and files.
    pub(crate) on_comm: FxHashMap<(Kind, Id), Id>,
    nth: FxHashMap<CommKey, u64>,
    /// Intercommunicators to other worlds whose other side is known: the number of the link.
    pub(crate) bridges: FxHashMap<Id, u64>,
}

/// All objects of a run.
#[derive(Default)]
pub(crate) struct Comms {
    pub(crate) list: Slab<Comm>,
    pub(crate) keys: FxHashMap<CommKey, CommIx>,
    ranks: i32,
    made: u32,
}

impl Comms {
    pub(crate) fn new(ranks: i32) -> Comms {
        Comms { ranks, ..Comms::default() }
    }

    /// There are this many processes now.
    pub(crate) fn grow(&mut self, ranks: i32) {
        self.ranks = ranks;
    }

    /// The object that `rank` knows as `id`.
    pub(crate) fn resolve(&mut self, rank: i32, objects: &mut Objects, kind: Kind, id: Id) -> Option<Member> {
        if let Some(known) = objects.members.get(&(kind, id)) {
            return *known;
        }
        if id == NULL_ID || id == UNKNOWN_ID {
            return None;
        }
        let key = match (kind, id) {
            (Kind::Comm, COMM_WORLD) => {
                let first = objects.groups_of.get(&id).and_then(|(world, _)| world.get(0));
                Some(CommKey::World(first.unwrap_or(0)))
            }
            (Kind::Comm, COMM_SELF) => Some(CommKey::Own(rank)),
            _ => None,
        };
        self.register(rank, objects, kind, id, key)
    }

    /// Notes that `rank` knows the object with `key` as `id` from now on. Without a key the object is told by its
    /// groups and by how many with these groups the rank has seen.
    pub(crate) fn register(
        &mut self,
        rank: i32,
        objects: &mut Objects,
        kind: Kind,
        id: Id,
        key: Option<CommKey>,
    ) -> Option<Member> {
        if id == NULL_ID || id == UNKNOWN_ID {
            return None;
        }
        if let Some(Some(known)) = objects.members.get(&(kind, id)) {
            return Some(*known);
        }
        let bridge = objects.bridges.get(&id).filter(|_| kind == Kind::Comm);
        let key = bridge.map(|number| CommKey::Bridge(*number)).or(key);
        let comm = if kind == Kind::Comm { Some(id) } else { objects.on_comm.get(&(kind, id)).copied() };
        let groups = comm.and_then(|c| objects.groups_of.get(&c)).cloned().or(match (comm, &key) {
            (Some(COMM_WORLD), _) => Some((Ranks::first_n(self.ranks as u32), None)),
            (Some(COMM_SELF), _) => Some((std::iter::once(rank).collect(), None)),
            // A window or file has the processes of the communicator that it was made on.
            (None, Some(CommKey::Object { parent, .. })) => {
                let c = &self.list[*parent];
                Some((c.a.iter().collect(), c.b.as_ref().map(|b| b.iter().collect())))
            }
            _ => None,
        });
        // A group beyond all measure is damage of the trace.
        let most = MAX_OUTSIDE.saturating_add(self.ranks.max(0) as usize);
        let groups = groups.filter(|(l, r)| l.len() <= most && r.as_ref().is_none_or(|r| r.len() <= most));
        let member = groups.and_then(|(local, remote)| {
            let (low, high) = order(local, remote);
            let key = key.unwrap_or_else(|| self.nth(objects, kind, &low, &high));
            self.join(rank, key, &low, &high)
        });
        objects.members.insert((kind, id), member);
        member
    }

    fn nth(&self, objects: &mut Objects, kind: Kind, low: &Ranks, high: &Option<Ranks>) -> CommKey {
        let high = high.clone().unwrap_or_default();
        let key = |nth| CommKey::Nth { kind, low: low.clone(), high: high.clone(), nth };
        let n = objects.nth.entry(key(0)).or_default();
        *n += 1;
        key(*n)
    }

    /// Key of an intercommunicator that MPI_Intercomm_create made.
    pub(crate) fn inter_key(&self, objects: &mut Objects, id: Id, tag: i64) -> Option<CommKey> {
        let (local, remote) = objects.groups_of.get(&id)?.clone();
        let (low, high) = order(local, remote);
        let high = high.unwrap_or_default();
        let key = |nth| CommKey::Inter { low: low.clone(), high: high.clone(), tag, nth };
        let n = objects.nth.entry(key(0)).or_default();
        *n += 1;
        Some(key(*n))
    }

    /// First rank of the communicator `id` of a rank: of the lower group of an intercommunicator.
    pub(crate) fn first_rank(objects: &Objects, id: Id) -> Option<i32> {
        let (local, remote) = objects.groups_of.get(&id)?;
        let first = local.get(0)?;
        let remote = remote.as_ref().and_then(|r| r.get(0)).filter(|r| *r >= 0);
        Some(remote.map_or(first, |r| r.min(first)))
    }

    /// The place in which the calls of a group are ordered.
    pub(crate) fn group_calls(&mut self, rank: i32, key: CommKey) -> Option<Member> {
        let CommKey::GroupCalls { ranks, .. } = &key else { return None };
        let ranks = ranks.clone();
        self.join(rank, key, &ranks, &None)
    }

    /// A collective that makes objects was found wrong: what is done on these follows from it.
    pub(crate) fn spoil_made_by(&mut self, by: CommIx, number: u64) {
        for (_, comm) in self.list.iter_mut() {
            if let CommKey::Child { parent, index, .. } | CommKey::Object { parent, index } = comm.key {
                comm.made_wrongly |= parent == by && index == number;
                comm.spoiled |= comm.made_wrongly;
            }
        }
    }

    fn join(&mut self, rank: i32, key: CommKey, low: &Ranks, high: &Option<Ranks>) -> Option<Member> {
        let ix = match self.keys.get(&key) {
            Some(ix) => *ix,
            None => {
                let (a, b) = (Group::new(low), high.as_ref().map(Group::new));
                let inside = |g: &Group| g.iter().all(|r| r >= 0 && r < self.ranks);
                let foreign = !inside(&a) || !b.as_ref().is_none_or(inside);
                let size = a.len() + b.as_ref().map_or(0, Group::len);
                let made_by = match &key {
                    CommKey::Child { parent, index, .. } | CommKey::Object { parent, index } => {
                        self.list.get(*parent).and_then(|p| p.space.get(*index))
                    }
                    _ => None,
                };
                let made_wrongly = made_by.is_some_and(|instance| instance.bad);
                self.made = self.made.wrapping_add(1);
                let ix = self.list.insert(Comm {
                    a,
                    b,
                    foreign,
                    closed: false,
                    half_known: false,
                    space: Space::new(size),
                    partitioned: Channels::default(),
                    epochs: Epochs::default(),
                    window: None,
                    file: None,
                    boxes: Indexed::default(),
                    spoiled: made_wrongly,
                    made_wrongly,
                    findings: Findings::default(),
                    key: key.clone(),
                    known_to: 0,
                    serial: self.made,
                });
                self.keys.insert(key, ix);
                ix
            }
        };
        let comm = &mut self.list[ix];
        let position = comm.position(rank)?;
        comm.known_to += 1;
        // Calls of a group have no end; every other object is met once by each rank.
        if comm.known_to == comm.size() && !comm.key.is_of_group() {
            self.keys.remove(&comm.key);
        }
        Some(Member { ix, position })
    }
}

/// The group with the lower first rank first; processes outside the world come last.
fn order(local: Ranks, remote: Option<Ranks>) -> (Ranks, Option<Ranks>) {
    let Some(remote) = remote else { return (local, None) };
    let first = |r: &Ranks| r.get(0).map_or(i64::MAX, |v| if v < 0 { i64::from(i32::MAX) } else { i64::from(v) });
    if first(&remote) < first(&local) { (remote, Some(local)) } else { (local, Some(remote)) }
}
