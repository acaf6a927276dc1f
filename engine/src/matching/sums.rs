//! Checksums of what was sent and received (`--checksums all`): put to the operations they belong to, and compared when
//! both ends of a movement of data are over.

use crate::collective::{What, each_move};
use crate::model::Model;
use crate::state::{CommIx, Damage, Gathering, Lane, OpId, Origin, Spoilt, View, WrongResult};
use trace_format::catalogue::{COLLECTIVE_OVERLAP, CheckInfo, OVERLAPPING, OVERLAPPING_SENDRECV, SEND_CHECKSUM};
use trace_format::folds::Fold;
use trace_format::mpi::Coll;
use trace_format::system::Checksum;

/// More than this many of one operation are not listed.
const MAX_SPOILT: usize = 256;

/// Checks that say themselves that data will not be what they should be.
const CAUSES: [&CheckInfo; 4] = [&SEND_CHECKSUM, &OVERLAPPING, &OVERLAPPING_SENDRECV, &COLLECTIVE_OVERLAP];

impl Model {
    /// The two belong together: if their ranks take sums, each waits for the end of the other.
    pub(crate) fn meet(&mut self, send: OpId, recv: OpId) {
        let takes = |op: OpId| self.ranks[self.ops[op].rank as usize].sums;
        if takes(send) && takes(recv) {
            self.ops[send].rare().met = Some(recv);
            self.ops[recv].rare().met = Some(send);
        }
    }

    /// An operation is over. If its other half is, too, they are compared and forgotten.
    pub(crate) fn part(&mut self, op: OpId, other: OpId) {
        if self.ops.get(other).is_some_and(|o| !o.done) {
            return;
        }
        let (send, recv) = if self.ops[op].is_send() { (op, other) } else { (other, op) };
        self.compare_sums(send, recv);
        self.forget_op(op);
        self.forget_op(other);
    }

    fn compare_sums(&mut self, send: OpId, recv: OpId) {
        let (Some(s), Some(r)) = (self.ops.get(send), self.ops.get(recv)) else { return };
        let (Some(sent), Some(received)) = (s.sum(), r.sum()) else { return };
        let differ = sent.sum.bytes == received.sum.bytes && sent.sum.digest != received.sum.digest;
        if !differ || s.dim || r.dim {
            return;
        }
        let lane = (s.comm, r.rank, s.rank, s.tag);
        if self.is_doubtful(lane) {
            return;
        }
        let (send, recv, by) = (s.shown().clone(), r.shown().clone(), received.by.clone());
        let key = (lane, self.place(&send), self.place(&recv));
        let bytes = received.sum.bytes;
        let mut damage = Damage { send, recv, by, bytes, count: 1 };
        if let Some(known) = self.damaged.remove(&key) {
            let count = known.count + 1;
            damage = if known.order() < damage.order() { known } else { damage };
            damage.count = count;
        }
        self.damaged.insert(key, damage);
    }

    /// Is it uncertain which messages of a lane met which receives? Where several threads send or receive on it, it is.
    fn is_doubtful(&self, (comm, dest, source, tag): (CommIx, i32, i32, i32)) -> bool {
        let mailbox = self.comms.list[comm].boxes.get(dest);
        mailbox.and_then(|m| m.lanes.get((source, tag))).is_some_and(Lane::is_doubtful)
    }

    /// Reports the messages that have arrived changed. At the end, since only then it is known where calls of threads
    /// came out of order.
    pub(crate) fn judge_damage(&mut self) {
        for ((lane, ..), damage) in std::mem::take(&mut self.damaged) {
            if !self.is_doubtful(lane) && !self.is_disturbed(&damage.send) && !self.is_disturbed(&damage.recv) {
                self.rules.damage(self, &damage);
            }
        }
    }

    /// Has the process found itself why the data of this operation, or of another one that was started at the same
    /// place, are not what they should be?
    fn is_disturbed(&self, call: &Origin) -> bool {
        let place = self.place(call);
        self.ranks[call.rank as usize].discoveries.iter().any(|d| {
            let explains = CAUSES.iter().any(|c| std::ptr::eq(*c, d.check)) && self.selection.is_on(d.check);
            explains && d.sites.iter().any(|site| self.place_of_site(site) == place)
        })
    }

    /// All processes are done with a collective operation: compares what they sent with what others received.
    pub(crate) fn compare_part_sums(&mut self, comm: CommIx, index: u64) {
        let c = &mut self.comms.list[comm];
        if c.spoiled || c.is_foreign() || c.space.tangled {
            return;
        }
        let Some(parts) = c.space.take_parts(index) else { return };
        let known = |p: &&crate::state::Part| p.sums.is_some();
        let usable = parts.iter().flatten().any(|p| known(&p)) && !parts.iter().flatten().any(|p| p.dim);
        if usable {
            let g = Gathering { comm, parts: &parts };
            let wrong = if c.b.is_some() { Vec::new() } else { wrong_results(&g) };
            let shown = || parts.iter().flatten().map(|p| p.shown());
            if !wrong.is_empty() && !shown().any(|call| self.is_disturbed(call)) {
                self.rules.wrong_results(self, comm, &wrong);
            }
            let mut spoilt = Vec::new();
            each_move(self, &g, |from, to, out, into| {
                let sums = |v: &View| parts.get(v.position as usize)?.as_ref()?.sums.as_deref();
                let (Some(a), Some(b)) = (sums(&from), sums(&to)) else { return };
                let (Some(sent), Some(received), Some(by)) = (find(&a.sent, out), find(&b.received, into), &b.by)
                else {
                    return;
                };
                let differ = sent.bytes == received.bytes && sent.digest != received.digest;
                if differ && spoilt.len() < MAX_SPOILT && !self.is_disturbed(from.call) {
                    spoilt.push(Spoilt { from, to, by: by.clone(), bytes: sent.bytes });
                }
            });
            // One process may pass on to others what was disturbed in it.
            let shown = || parts.iter().flatten().map(|p| p.shown());
            if !spoilt.is_empty() && !shown().any(|call| self.is_disturbed(call)) {
                self.rules.spoilt(self, comm, &spoilt);
            }
        }
        self.comms.list[comm].space.give_parts(index, parts);
    }
}

/// The sum for a partner; they are in the order of partners.
fn find(sums: &[Checksum], partner: u32) -> Option<Checksum> {
    let at = sums.binary_search_by_key(&partner, |c| c.partner).ok()?;
    sums.get(at).copied()
}

/// Where the result of a reduction over integers is not the fold of all contributions. Nothing if not all are known.
fn wrong_results<'a>(g: &Gathering<'a>) -> Vec<WrongResult<'a>> {
    use Coll::*;
    let part = |v: &View| g.parts.get(v.position as usize)?.as_ref()?.sums.as_deref();
    let views: Vec<View<'a>> = g.views().collect();
    let fold = |v: &View| Some((v.coll(), v.op()?, Fold::of(v.op()?, v.reduced_type()?)?));
    let Some((What::Coll(coll), op, by)) = views.first().and_then(fold) else { return Vec::new() };
    if views.len() != g.parts.len() || views.iter().any(|v| fold(v) != Some((What::Coll(coll), op, by))) {
        return Vec::new();
    }
    let contributions: Option<Vec<Checksum>> = views.iter().map(|v| find(&part(v)?.sent, Checksum::WHOLE)).collect();
    let Some(contributions) = contributions else { return Vec::new() };
    let bytes = contributions.first().map_or(0, |c| c.bytes);
    if contributions.iter().any(|c| c.bytes != bytes) {
        return Vec::new();
    }
    let all = |of: &[Checksum]| of.iter().map(|c| c.digest).reduce(|a, b| by.combine(a, b));
    let result = |v: &View| {
        let part = part(v)?;
        Some((find(&part.received, Checksum::WHOLE)?, part.by.clone()?))
    };
    // Which contributions make the result of a process.
    let expected = |v: &View| match coll {
        Reduce | Allreduce => all(&contributions),
        Scan => all(contributions.get(..=v.position as usize)?),
        Exscan => all(contributions.get(..v.position as usize)?),
        _ => None,
    };
    if matches!(coll, ReduceScatter | ReduceScatterBlock) {
        let results: Option<Vec<_>> = views.iter().map(result).collect();
        let Some(results) = results else { return Vec::new() };
        let parts: Vec<Checksum> = results.iter().map(|r| r.0).collect();
        if all(&parts) == all(&contributions) || parts.iter().map(|c| c.bytes).fold(0, u64::saturating_add) != bytes {
            return Vec::new();
        }
        let wrong = views.into_iter().zip(results);
        return wrong.map(|(at, (_, completed))| WrongResult { at, by: completed, op }).collect();
    }
    let mut wrong = Vec::new();
    for at in views {
        if let (Some((sum, completed)), Some(expected)) = (result(&at), expected(&at))
            && sum.bytes == bytes
            && sum.digest != expected
        {
            wrong.push(WrongResult { at, by: completed, op });
        }
    }
    wrong
}
