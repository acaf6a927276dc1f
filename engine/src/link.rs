//! Brings the worlds together: which processes are on the other side of an intercommunicator that MPI_Comm_spawn,
//! MPI_Comm_accept and the like have made. Each process numbers processes of other worlds for itself; here these
//! numbers become those of the run, before the engine sees them.
//!
//! The events of a process are held back from the moment where it can reach processes that are not known yet, until
//! they are: a spawned world is known by its size and by its ranks having entered MPI_Init while those who spawned it
//! were in MPI_Comm_spawn; MPI_Comm_accept and MPI_Comm_connect by the name of the port. What stays ambiguous stays
//! unlinked, and nothing is said of communication over it.

use crate::clocks::Clock;
use crate::engine::Engine;
use crate::worlds::Process;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use trace_format::definition::{Bridge, BridgeKind, Definition};
use trace_format::mpi::{Class, Coll};
use trace_format::ranks::Ranks;
use trace_reader::args::{Arg, Args};
use trace_reader::call::Call;
use trace_reader::reader::{EventRef, LeanEvent, RankEvent, Repeat};

/// A call that will bring processes of another world, and has not returned.
struct OpenCall {
    thread: u16,
    index: u64,
    kind: BridgeKind,
    entered: u64,
    port: String,
}

#[derive(Default)]
struct Member {
    /// Process number of rank 0 of its world, and the size of that.
    first: Process,
    size: i32,
    spawned: bool,
    host: String,
    clock: Clock,
    /// Processes of other worlds, by the numbers that this one gives them, from `size` on.
    outsiders: Vec<Option<Process>>,
    /// The bridge that it is held back for, and the events that are held back.
    waits: Option<(usize, Bridge)>,
    held: VecDeque<Held>,
    /// How many bridges it has of a kind and a local group.
    nth: FxHashMap<(BridgeKind, Vec<Process>), u32>,
    open: Vec<OpenCall>,
    /// Ticks of the latest call that was read.
    seen: Option<u64>,
    /// Anything was read of it.
    begun: bool,
}

/// An event that is held back.
enum Held {
    Whole(Box<LeanEvent>),
    Repeat(Repeat),
}

impl Held {
    fn new(event: EventRef) -> Held {
        match event {
            EventRef::Whole(event) => Held::Whole(Box::new(event.take())),
            EventRef::Repeat(repeat) => Held::Repeat(*repeat),
        }
    }

    fn event(&mut self) -> EventRef<'_> {
        match self {
            Held::Whole(event) => EventRef::Whole(event),
            Held::Repeat(repeat) => EventRef::Repeat(repeat),
        }
    }
}

/// One call that made a bridge, on one of its sides.
struct Side {
    kind: BridgeKind,
    local: Vec<Process>,
    nth: u32,
    /// The words of those who were read so far.
    said: Vec<(Process, Bridge)>,
    /// The other side, and the number of the link.
    link: Option<(usize, u64)>,
    /// It was given up.
    lost: bool,
}

impl Side {
    /// The process whose arguments and times count, with its bridge.
    fn root(&self) -> Option<&(Process, Bridge)> {
        let (_, any) = self.said.first()?;
        let root = *self.local.get(usize::try_from(any.root).ok()?)?;
        self.said.iter().find(|(p, _)| *p == root)
    }

    /// The value that both sides of a bridge share: the port, or the numbers of those who are spawned and who spawn.
    fn signature(&self) -> Option<(&str, usize, usize)> {
        let (_, bridge) = self.root()?;
        let (here, there) = (self.local.len(), bridge.count.max(0) as usize);
        Some(match self.kind {
            BridgeKind::Spawn => ("", there, here),
            BridgeKind::Parent => ("", here, there),
            _ => (&bridge.port, 0, 0),
        })
    }

    /// Processes that wait for others to come to them.
    fn is_host(&self) -> bool {
        matches!(self.kind, BridgeKind::Spawn | BridgeKind::Accept)
    }
}

/// See the module.
#[derive(Default)]
pub struct Linker {
    members: Vec<Member>,
    sides: Vec<Side>,
    links: u64,
    /// Some process was held back once.
    held: bool,
}

fn bridge_kind(call: &Call<Args>) -> Option<BridgeKind> {
    match call.func.row().class {
        Class::Collective(Coll::CommSpawn | Coll::CommSpawnMultiple, _) => Some(BridgeKind::Spawn),
        Class::Collective(Coll::CommAccept, _) => Some(BridgeKind::Accept),
        Class::Collective(Coll::CommConnect, _) => Some(BridgeKind::Connect),
        _ => None,
    }
}

impl Linker {
    /// A world of `size` processes, the first of which is number `first`.
    pub fn add_world(&mut self, first: Process, size: i32, spawned: bool) {
        let all = first.saturating_add(size).max(0) as usize;
        self.members.reserve_exact(all.saturating_sub(self.members.len()));
        while self.members.len() < all {
            self.members.push(Member { first, size, spawned, ..Member::default() });
        }
    }

    /// Says where a process runs and how its times are to be read.
    pub fn introduce(&mut self, process: Process, host: &str, clock: Clock) {
        if let Some(m) = self.members.get_mut(process as usize) {
            m.host = host.to_owned();
            m.clock = clock;
        }
    }

    /// Takes the next event of a process; hands it to the engine, now or later.
    #[inline]
    pub fn take(&mut self, process: Process, event: EventRef, engine: &mut Engine) {
        let Some(member) = self.members.get_mut(process as usize) else { return };
        member.begun = true;
        match event {
            event if member.waits.is_some() => member.held.push_back(Held::new(event)),
            // Nearly all that comes.
            EventRef::Repeat(repeat) => {
                member.seen = member.seen.max(Some(repeat.t_call));
                engine.take(process, EventRef::Repeat(repeat));
            }
            EventRef::Whole(event) => self.take_whole(process, event, engine),
        }
    }

    #[inline(never)]
    fn take_whole(&mut self, process: Process, event: &mut LeanEvent, engine: &mut Engine) {
        let member = &mut self.members[process as usize];
        match event {
            RankEvent::Definition(Definition::Bridge(bridge)) => {
                let bridge = bridge.clone();
                return self.bridge(process, bridge, engine);
            }
            RankEvent::Definition(Definition::Comm { local, remote, .. }) => {
                *remote = remote.take().map(|r| member.processes(r));
                *local = member.processes(std::mem::take(local));
            }
            RankEvent::Definition(Definition::Group { ranks, .. }) => {
                *ranks = member.processes(std::mem::take(ranks));
            }
            RankEvent::Call(call) => {
                member.seen = member.seen.max(Some(call.t_call));
                if call.is_open()
                    && let Some(kind) = bridge_kind(call)
                {
                    let entered = member.clock.unix_ns(call.t_call);
                    let port = match call.func.row().param("port_name").map(|place| call.ins.get(place)) {
                        Some(Arg::Str(port)) => port.to_owned(),
                        _ => String::new(),
                    };
                    member.open.push(OpenCall { thread: call.thread, index: call.index, kind, entered, port });
                }
            }
            RankEvent::Return { thread, index, .. } => {
                member.open.retain(|o| (o.thread, o.index) != (*thread, *index));
            }
            RankEvent::Definition(_) | RankEvent::System { .. } => {}
        }
        engine.take(process, EventRef::Whole(event));
    }

    fn bridge(&mut self, process: Process, bridge: Bridge, engine: &mut Engine) {
        let member = &mut self.members[process as usize];
        let local: Vec<Process> = member.processes(bridge.local.clone()).iter().collect();
        let (first, count) = (bridge.first.max(0) as usize, bridge.count.max(0) as usize);
        let end = (first + count).saturating_sub(member.size.max(0) as usize);
        if count > MAX_GROUP || end > MAX_OUTSIDERS {
            return;
        }
        if member.outsiders.len() < end {
            member.outsiders.resize(end, None);
        }
        if bridge.kind == BridgeKind::Unknown || local.contains(&-1) {
            return;
        }
        let nth = member.nth.entry((bridge.kind, local.clone())).or_default();
        *nth += 1;
        let nth = *nth;
        let same = |s: &Side| s.kind == bridge.kind && s.nth == nth && s.local == local;
        let place = match self.sides.iter().position(same) {
            Some(place) => place,
            None => {
                self.sides.push(Side { kind: bridge.kind, local, nth, said: Vec::new(), link: None, lost: false });
                self.sides.len() - 1
            }
        };
        let side = &mut self.sides[place];
        side.said.push((process, bridge.clone()));
        if side.link.is_some() {
            self.apply(process, place, &bridge, engine);
        } else if !side.lost {
            self.members[process as usize].waits = Some((place, bridge));
            self.held = true;
        }
    }

    /// Tells a process who is on the other side.
    fn apply(&mut self, process: Process, place: usize, bridge: &Bridge, engine: &mut Engine) {
        let Some((other, number)) = self.sides[place].link else { return };
        let others = &self.sides[other].local;
        if others.len() != bridge.count.max(0) as usize {
            return;
        }
        let member = &mut self.members[process as usize];
        let from = bridge.first.saturating_sub(member.size).max(0) as usize;
        for (known, other) in member.outsiders.iter_mut().skip(from).zip(others) {
            *known = Some(*other);
        }
        engine.bridge(process, bridge.comm, number, others);
    }

    /// Are events of this process held back?
    pub fn holds(&self, process: Process) -> bool {
        self.members.get(process as usize).is_some_and(|m| m.waits.is_some())
    }

    /// Is there no more than one MPI_COMM_WORLD?
    pub(crate) fn is_one_world(&self) -> bool {
        self.members.iter().all(|member| member.first == 0)
    }

    pub fn holds_any(&self) -> bool {
        self.held && self.members.iter().any(|m| m.waits.is_some())
    }

    /// Finds what belongs together, and lets those go on who waited for it; true if there was something. `caught_up`
    /// knows of which processes everything was read that they have written so far; `last`: nothing more will come.
    pub fn link(&mut self, caught_up: &dyn Fn(Process) -> bool, last: bool, engine: &mut Engine) -> bool {
        let mut any = false;
        while let Some((host, guest)) = self.certain_pair(caught_up, last) {
            any = true;
            self.links += 1;
            self.sides[host].link = Some((guest, self.links));
            self.sides[guest].link = Some((host, self.links));
            self.release(engine);
        }
        any
    }

    /// Lets everybody go on whose waiting is over.
    fn release(&mut self, engine: &mut Engine) {
        for process in 0..self.members.len() {
            while let Some((place, _)) = &self.members[process].waits {
                let side = &self.sides[*place];
                if side.link.is_none() && !side.lost {
                    break;
                }
                if let Some((place, bridge)) = self.members[process].waits.take() {
                    self.apply(process as Process, place, &bridge, engine);
                }
                while self.members[process].waits.is_none() {
                    let Some(mut held) = self.members[process].held.pop_front() else { break };
                    self.take(process as Process, held.event(), engine);
                }
            }
        }
    }

    /// Gives up what is not linked: those who wait go on without knowing the other side. False if nobody waited.
    pub fn give_up(&mut self, engine: &mut Engine) -> bool {
        if !self.holds_any() {
            return false;
        }
        for member in &self.members {
            if let Some((place, _)) = &member.waits {
                self.sides[*place].lost = true;
            }
        }
        self.release(engine);
        true
    }

    /// The bridges that could not be linked, in words.
    pub fn remarks(&self, names: &crate::worlds::Names) -> Vec<String> {
        let mut unclear: BTreeMap<&str, Vec<Process>> = BTreeMap::new();
        for side in self.sides.iter().filter(|s| s.lost && s.link.is_none()) {
            let what = match side.kind {
                BridgeKind::Spawn => "which processes MPI_Comm_spawn started",
                BridgeKind::Parent => "which call of MPI_Comm_spawn started them",
                _ => "who is on the other side of MPI_Comm_accept or MPI_Comm_connect",
            };
            unclear.entry(what).or_default().extend(&side.local);
        }
        let remark = |(what, who): (&str, Vec<Process>)| {
            format!("{}: {what} is not certain; communication with these was not checked", names.list(&who))
        };
        unclear.into_iter().map(remark).collect()
    }

    /// Two sides that can only belong to each other.
    fn certain_pair(&self, caught_up: &dyn Fn(Process) -> bool, last: bool) -> Option<(usize, usize)> {
        let free = |host: bool| {
            let sides = self.sides.iter().enumerate();
            sides.filter(move |(_, s)| s.link.is_none() && !s.lost && s.is_host() == host && s.root().is_some())
        };
        let mut edges = Vec::new();
        for (h, host) in free(true) {
            edges.extend(free(false).filter(|(_, guest)| self.fits(host, guest)).map(|(g, _)| (h, g)));
        }
        edges.iter().copied().find(|&(h, g)| {
            let (of_host, of_guest) = (edges.iter().filter(|e| e.0 == h).count(), edges.iter().filter(|e| e.1 == g));
            let of_guest = of_guest.count();
            // If nobody is missing, who has one choice has it before those with several.
            let what = self.sides[h].signature();
            let count = |host: bool| free(host).filter(|(_, s)| s.signature() == what).count();
            let balanced = count(true) == count(false);
            let alone = of_host == 1 && of_guest == 1 || balanced;
            // A call that has returned has a partner: it is this one if there is no other, and no other is still to come.
            let by_host = of_host == 1
                && (last || self.sides[h].kind == BridgeKind::Accept && self.is_all_there(h, g, false, caught_up));
            let by_guest = || of_guest == 1 && (last || self.is_all_there(h, g, true, caught_up));
            alone && (by_host || by_guest())
        })
    }

    fn fits(&self, host: &Side, guest: &Side) -> bool {
        let kinds = (host.kind, guest.kind);
        let (Some((h, ours)), Some((g, theirs))) = (host.root(), guest.root()) else { return false };
        let sizes = ours.count as usize == guest.local.len() && theirs.count as usize == host.local.len();
        // Clocks of different hosts tell nothing.
        let far = self.members[*h as usize].host != self.members[*g as usize].host;
        sizes
            && match kinds {
                (BridgeKind::Spawn, BridgeKind::Parent) => {
                    self.members[*g as usize].spawned
                        && (far || (ours.entered..=ours.returned).contains(&theirs.entered))
                }
                (BridgeKind::Accept, BridgeKind::Connect) => {
                    let meet = ours.entered <= theirs.returned && theirs.entered <= ours.returned;
                    ours.port == theirs.port && !ours.port.is_empty() && (far || meet)
                }
                _ => false,
            }
    }

    /// Was everything read that could be another partner: another host for the guest, or another guest for the host?
    fn is_all_there(&self, host: usize, guest: usize, hosts: bool, caught_up: &dyn Fn(Process) -> bool) -> bool {
        let (Some((_, ours)), Some((_, theirs))) = (self.sides[host].root(), self.sides[guest].root()) else {
            return false;
        };
        let until = match (ours.kind, hosts) {
            (BridgeKind::Spawn, _) => theirs.entered,
            (_, true) => theirs.returned,
            (_, false) => ours.returned,
        };
        let kind = if hosts { ours.kind } else { theirs.kind };
        let rival = |o: &OpenCall| o.kind == kind && o.entered <= until && o.port == ours.port;
        self.members.iter().enumerate().all(|(p, m)| match &m.waits {
            Some((_, bridge)) => m.seen().max(bridge.returned) >= until,
            None => (m.seen() >= until || caught_up(p as Process)) && !m.open.iter().any(rival),
        })
    }
}

/// Larger groups are damage.
const MAX_GROUP: usize = 1 << 20;

const MAX_OUTSIDERS: usize = 1 << 20;

impl Member {
    /// Time of the latest call that was read.
    fn seen(&self) -> u64 {
        self.seen.map_or(0, |ticks| self.clock.unix_ns(ticks))
    }

    /// Numbers that this process gives, as numbers of the run.
    fn processes(&self, ranks: Ranks) -> Ranks {
        if self.first == 0 && self.outsiders.is_empty() || ranks.len() > MAX_GROUP {
            return ranks;
        }
        let process = |n: i32| match n {
            n if n < 0 => -1,
            n if n < self.size => self.first + n,
            n => self.outsiders.get((n - self.size) as usize).copied().flatten().unwrap_or(-1),
        };
        ranks.iter().map(process).collect()
    }
}
