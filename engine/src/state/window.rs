//! The accesses to a window that are not judged yet, gathered where nothing orders them (MPI 4.1, 12.7): within one epoch of
//! fences, within one exposure epoch of MPI_Win_post, and of one process between two of its flushes.

use super::accesses::{Accessed, Exposed, Lasts, Over, Together};
use super::attached::{Early, Parts, Unattached};
use super::call::Origin;
use super::comms::CommIx;
use super::hints::Hints;
use super::open_accesses::OpenAccesses;
use super::order::Epoch;
use super::passive::{Guard, Passed, Passive};
use super::promises::Promises;
use super::turns::LastUse;
use rma::{Deed, Epochs, Home};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use trace_format::mpi::RmaSync;

/// A process of a window.
pub(crate) struct Member {
    pub(crate) epochs: Epochs<()>,
    pub(crate) exposed: Option<Exposed>,
    pub(crate) hints: Hints,
    /// The call by which it has made the window.
    pub(crate) begun: u64,
    pub(crate) fences: u64,
    /// Collective operations of all processes of the window that it has passed.
    phase: u64,
    /// Its rank's count of calls that may have told it of others, by then: see [`super::rank::Rank::learned`].
    pub(crate) learned: u64,
    /// Targets that it has locked exclusively.
    pub(crate) exclusive: FxHashSet<i32>,
    /// By target: epochs of MPI_Win_start for it so far.
    starts: FxHashMap<i32, u64>,
    /// By origin: exposure epochs for it so far.
    posts: FxHashMap<i32, u64>,
    /// The exposure epoch that is open: its origins.
    posted: Option<Vec<(i32, u64)>>,
    /// The uses of its own memory in that epoch.
    used_while_posted: Vec<Accessed>,
    /// The memory that it has attached.
    pub(crate) attached: Parts,
    pub(crate) last_use: LastUse,
    /// How many uses of its own memory were kept since it passed a fence or a collective operation of all.
    uses: usize,
    /// The operations with its own memory that are not complete.
    operations: Vec<Accessed>,
}

impl Member {
    /// The lock that it has on a target.
    fn guard(&self, target: i32) -> Guard {
        match self.epochs.home(target) {
            Ok(Home::Lock) => self.guard_by_lock(target),
            _ => Guard::None,
        }
    }

    fn guard_by_lock(&self, target: i32) -> Guard {
        if self.exclusive.contains(&target) { Guard::Exclusive } else { Guard::Shared }
    }

    /// The accesses that one of this process, `origin`, to `target` now belongs to.
    fn together(&self, origin: i32, target: i32, home: Home) -> Option<Together> {
        Some(match home {
            Home::Lock => Together::Locked { target, origin },
            Home::Start => Together::Start { target, origin, nth: self.starts.get(&target).copied()? },
            Home::Fence => Together::Fences { target, phase: self.fences },
        })
    }
}

/// More uses by the process itself are not looked at.
const MOST_USES: usize = 1 << 14;
/// More of them that last are not.
const MOST_OPERATIONS: usize = 1 << 8;

/// An exposure epoch whose end is known, until those of its origins are known as well.
struct Exposure {
    target: i32,
    origins: Vec<(i32, u64)>,
    /// The target's own uses of the memory meanwhile.
    uses: Vec<Accessed>,
}

/// The accesses to a window and the synchronization that orders them. Processes are places in its group.
#[derive(Default)]
pub(crate) struct Window {
    pub(crate) members: FxHashMap<i32, Member>,
    /// How many processes of the group have said what they expose.
    known: usize,
    /// A call failed, or the order of calls is not known: nothing is concluded any more.
    pub(crate) unclear: bool,
    pub(crate) open: OpenAccesses,
    /// How many processes have left a phase of fences, and a phase of collective operations.
    left: FxHashMap<u64, u32>,
    left_phase: FxHashMap<u64, u32>,
    /// The accesses under shared locks.
    pub(super) passive: Passive,
    pub(crate) promises: Promises,
    /// Accesses to memory that is not known to be attached.
    pub(crate) unattached: Unattached,
    /// Calls of its processes before which nothing matters any more.
    pub(crate) judged: FxHashMap<i32, u64>,
    /// How many processes have freed it.
    pub(crate) freed: u32,
    /// Its processes reach each other's memory by loads and stores, which order things that nobody sees.
    pub(crate) is_shared: bool,
    /// Ended epochs of MPI_Win_start whose exposure epoch is not over, by target, origin and number.
    completed: FxHashSet<(i32, i32, u64)>,
    exposures: Vec<Exposure>,
    /// Over before all have said what they expose.
    pub(crate) late: Over,
    /// Accesses whose range was not looked at yet for the same reason, with their targets.
    pub(crate) unchecked: Vec<(i32, Accessed)>,
}

impl Window {
    pub(crate) fn member(&mut self, place: i32) -> &mut Member {
        self.members.entry(place).or_insert_with(|| Member {
            epochs: Epochs::new(place),
            exposed: None,
            hints: Hints::default(),
            begun: 0,
            fences: 0,
            phase: 0,
            learned: 0,
            exclusive: FxHashSet::default(),
            starts: FxHashMap::default(),
            posts: FxHashMap::default(),
            posted: None,
            used_while_posted: Vec::new(),
            attached: Parts::default(),
            last_use: LastUse::default(),
            uses: 0,
            operations: Vec::new(),
        })
    }

    /// The process exposes memory. True if that is known of all `size` processes now.
    pub(crate) fn expose(&mut self, place: i32, exposed: Exposed, size: u32) -> bool {
        let is_new = self.member(place).exposed.replace(exposed).is_none();
        self.known += usize::from(is_new);
        self.known == size as usize
    }

    /// The hints that all its processes give.
    pub(crate) fn hints(&self) -> Hints {
        self.members.values().map(|member| member.hints).reduce(Hints::and).unwrap_or_default()
    }

    pub(crate) fn are_all_known(&self, size: u32) -> bool {
        self.known == size as usize
    }

    /// The process has passed a fence: the accesses that are over, since all of `size` processes have passed it.
    pub(crate) fn fenced(&mut self, place: i32, size: u32) -> Over {
        let is_shared = self.is_shared;
        let member = self.member(place);
        let phase = member.fences;
        (member.fences, member.uses) = (phase + 1, 0);
        let operations = if is_shared { Vec::new() } else { member.operations.clone() };
        let next = Together::Fences { target: place, phase: phase + 1 };
        operations.into_iter().for_each(|operation| self.open.add(next, operation));
        let left = self.left.entry(phase).or_default();
        *left += 1;
        if *left < size {
            return Vec::new();
        }
        self.left.remove(&phase);
        self.open.take_phase(phase)
    }

    /// A process has accessed memory of `target`. `learned`: see [`super::rank::Rank::learned`]; `is_guarded`: it holds an
    /// exclusive lock.
    pub(crate) fn access(&mut self, target: i32, access: Accessed, (learned, is_guarded): (u64, bool)) {
        let origin = access.origin;
        let member = self.member(origin);
        let Ok(home) = member.epochs.home(target) else { return };
        let together = member.together(origin, target, home);
        match home {
            Home::Fence => member.epochs.access(target, ()),
            Home::Start => {}
            Home::Lock => {
                let guard = member.guard_by_lock(target);
                let held = (member.phase, member.learned == learned && !is_guarded);
                self.passive.add(target, access.clone(), guard, held);
            }
        }
        if let Some(together) = together {
            self.open.add(together, access);
        }
    }

    /// An access to a target that may still attach the memory.
    pub(crate) fn wait_for_memory(&mut self, target: i32, access: Accessed) {
        let phase = self.member(access.origin).phase;
        self.unattached.keep(Early { target, access, phase });
    }

    /// See [`Passive::may_conflict`].
    pub(crate) fn may_conflict(&self, no_op: u32) -> bool {
        self.passive.may_conflict(no_op)
    }

    /// Is of some accesses not decided yet whether others meet them?
    pub(crate) fn is_undecided(&self) -> bool {
        self.passive.is_undecided()
    }

    /// Do processes expose memory by fences or posts? Their own uses of it wait for the end of such an epoch to be judged, however
    /// many collective operations come meanwhile.
    pub(crate) fn has_active_targets(&self) -> bool {
        self.members.values().any(|member| member.fences > 0 || !member.posts.is_empty())
    }

    /// A process uses memory that it exposes itself, or another one that shares it: `owner`.
    pub(crate) fn use_own(&mut self, owner: i32, access: Accessed) {
        let place = access.origin;
        if access.deed == Deed::Write && place == owner && !access.is_instruction() {
            self.promises.write(place, &access.call);
        }
        let member = self.member(place);
        if member.uses >= MOST_USES || member.operations.len() >= MOST_OPERATIONS {
            return;
        }
        member.uses += 1;
        let (phase, fences) = (member.phase, member.fences);
        // Which locks keep others from what lasts is asked when its end is known.
        let guard = if access.is_operation() { Guard::None } else { member.guard(owner) };
        if access.is_operation() {
            member.operations.push(access.clone());
        }
        if member.posted.is_some() && place == owner {
            member.used_while_posted.push(access.clone());
        }
        if fences > 0 {
            self.open.add(Together::Fences { target: owner, phase: fences }, access.clone());
        }
        // A process may poll for what others put there under locks (MPI 4.1, 12.7).
        if !(access.is_instruction() && access.deed == Deed::Read) {
            self.passive.add(owner, access, guard, (phase, false));
        }
    }

    /// A call of a process has completed the operation that another one began, or all that it has begun (`None`).
    pub(crate) fn complete_own(&mut self, place: i32, begun: Option<u64>, call: u64) {
        self.member(place).operations.retain(|access| {
            let is_it = begun.is_none_or(|begun| begun == access.call.index);
            if let (true, Lasts::Operation { end, .. }) = (is_it, &access.lasts) {
                end.set(call);
            }
            !is_it
        });
    }

    /// A call has ended accesses of its process to a target, or to all; `is_local`: only those that bring a result.
    pub(crate) fn end_passively(&mut self, origin: i32, target: Option<i32>, call: u64, is_local: bool) {
        self.passive.end(origin, target, call, is_local);
    }

    /// The process has passed a collective operation of all `size` processes of the window: the phase that all have left now.
    pub(crate) fn passed(
        &mut self,
        place: i32,
        size: u32,
        (call, learned, is_meeting): (u64, u64, bool),
    ) -> Option<u64> {
        let member = self.member(place);
        let phase = member.phase;
        (member.phase, member.learned, member.uses) = (phase + 1, learned, 0);
        self.passive.pass(place, Passed { phase, call, is_meeting });
        let left = self.left_phase.entry(phase).or_default();
        *left += 1;
        (*left == size).then(|| {
            self.left_phase.remove(&phase);
            phase
        })
    }

    /// The process begins an access epoch for these targets.
    pub(crate) fn started(&mut self, place: i32, targets: &[i32]) {
        let member = self.member(place);
        targets.iter().for_each(|target| *member.starts.entry(*target).or_default() += 1);
    }

    /// The process has ended its access epoch for these targets.
    pub(crate) fn completed(&mut self, place: i32, targets: &[i32]) -> Over {
        for target in targets {
            let nth = self.member(place).starts.get(target).copied().unwrap_or(0);
            self.completed.insert((*target, place, nth));
        }
        self.over()
    }

    /// The process exposes its memory to these origins.
    pub(crate) fn posted(&mut self, place: i32, origins: &[i32]) {
        let is_shared = self.is_shared;
        let member = self.member(place);
        let numbered = origins.iter().map(|origin| {
            let nth = member.posts.entry(*origin).or_default();
            *nth += 1;
            (*origin, *nth)
        });
        member.posted = Some(numbered.collect());
        if !is_shared {
            member.used_while_posted.extend(member.operations.iter().cloned());
        }
    }

    /// The process begins an access epoch for these targets. `call`: it, and whether it asserts that all have exposed their memory.
    pub(crate) fn promise_at_start(&mut self, place: i32, targets: &[i32], (call, is_unchecked): (&Rc<Origin>, bool)) {
        for target in targets {
            let nth = self.member(place).starts.get(target).copied().unwrap_or(0);
            self.promises.start((*target, place, nth), (call.clone(), is_unchecked));
        }
    }

    /// The process exposes its memory to these origins.
    pub(crate) fn promise_at_post(&mut self, place: i32, origins: &[i32], (call, is_unchecked): (&Rc<Origin>, bool)) {
        for origin in origins {
            let nth = self.member(place).posts.get(origin).copied().unwrap_or(0);
            self.promises.post((place, *origin, nth), (call.clone(), is_unchecked));
        }
    }

    /// The name of the accesses of the exposure epoch that is open: its first origin has it.
    pub(crate) fn first_posted(&mut self, place: i32) -> Option<Together> {
        let (origin, nth) = *self.member(place).posted.as_ref()?.first()?;
        Some(Together::Start { target: place, origin, nth })
    }

    /// The epochs that a call of a process is about to begin or to end: with MPI_Win_start and MPI_Win_wait those that
    /// another process has begun or ended before. `group`: of MPI_Win_start and MPI_Win_post.
    pub(crate) fn epochs_of(&mut self, window: CommIx, place: i32, sync: RmaSync, group: Option<&[i32]>) -> Vec<Epoch> {
        let member = self.member(place);
        let count = |all: &FxHashMap<i32, u64>, of: &i32| all.get(of).copied().unwrap_or(0);
        let of = |target, origin, nth, is_end| Epoch { window, target, origin, nth, is_end };
        match sync {
            RmaSync::RmaStart => {
                let targets = group.unwrap_or_default().iter();
                targets.map(|target| of(*target, place, count(&member.starts, target) + 1, false)).collect()
            }
            RmaSync::RmaPost => {
                let origins = group.unwrap_or_default().iter();
                origins.map(|origin| of(place, *origin, count(&member.posts, origin) + 1, false)).collect()
            }
            RmaSync::RmaComplete => {
                let targets = member.epochs.started().unwrap_or_default().iter();
                targets.map(|target| of(*target, place, count(&member.starts, target), true)).collect()
            }
            RmaSync::RmaWait | RmaSync::RmaTest => {
                let origins = member.posted.iter().flatten();
                origins.map(|(origin, nth)| of(place, *origin, *nth, true)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The process has ended its exposure epoch.
    pub(crate) fn waited(&mut self, place: i32) -> Over {
        let member = self.member(place);
        let uses = std::mem::take(&mut member.used_while_posted);
        if let Some(origins) = member.posted.take() {
            self.exposures.push(Exposure { target: place, origins, uses });
        }
        self.over()
    }

    /// The accesses of the exposure epochs that are over on both sides.
    fn over(&mut self) -> Over {
        let Window { exposures, completed, open, promises, .. } = self;
        let mut all = Vec::new();
        exposures.retain_mut(|Exposure { target, origins, uses }| {
            if !origins.iter().all(|(origin, nth)| completed.contains(&(*target, *origin, *nth))) {
                return true;
            }
            let mut accesses = std::mem::take(uses);
            for (origin, nth) in origins.iter() {
                completed.remove(&(*target, *origin, *nth));
                promises.end((*target, *origin, *nth));
                accesses.extend(open.take_epoch(*target, *origin, *nth));
            }
            // They are named by the first of them.
            if let Some((origin, nth)) = origins.first() {
                all.push((Together::Start { target: *target, origin: *origin, nth: *nth }, accesses));
            }
            false
        });
        all
    }

    /// Calls that are kept.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let late = self.late.iter().flat_map(|(_, all)| all).chain(self.unchecked.iter().map(|(_, access)| access));
        let posted = self.members.values().flat_map(|member| &member.used_while_posted);
        let exposed = self.exposures.iter().flat_map(|exposure| &exposure.uses);
        let operations = self.members.values().flat_map(|member| &member.operations);
        self.open
            .iter()
            .chain(posted)
            .chain(exposed)
            .chain(operations)
            .chain(late)
            .chain(self.passive_calls())
            .chain(self.unattached.accesses())
            .map(|access| &access.call)
            .chain(self.promises.calls())
    }
}
