//! Threads of one rank that call at the same time (MPI 4.1, 11.6). Two sends with the same envelope whose calls overlap
//! have no order, nor have two such receives: then any order may be the true one, and only what no order explains is
//! wrong.

use crate::collections::NOWHERE;
use crate::model::Model;
use crate::state::{CommIx, Message, OpId, Origin, Pair};
use crate::types::{Amount, Signatures, UNKNOWN};
use thin_vec::ThinVec;
use trace_format::catalogue::INCORRECT_SEND_SIZE;

/// More pairs than this in which all could be exchanged are not looked at.
const MAX_CLUSTER: usize = 64;

/// Does the message fit into the room, and is it the one that the receive says it got?
fn fits(all: &mut Signatures, sent: Amount, room: Amount, got: Option<u64>) -> bool {
    let short = sent.bytes.zip(room.bytes).is_none_or(|(s, r)| s <= r);
    is_what_came(sent, room, got) && short && (sent.sig == UNKNOWN || all.difference(sent, room).is_none())
}

fn is_what_came(sent: Amount, room: Amount, got: Option<u64>) -> bool {
    let whole = sent.bytes.filter(|s| room.bytes.is_none_or(|r| *s <= r));
    whole.zip(got).is_none_or(|(sent, got)| sent == got)
}

/// The pairs of a cluster that no order explains: the best assignment leaves these sends and receives over.
fn unexplained(all: &mut Signatures, cluster: &[Pair]) -> Vec<(usize, usize)> {
    let n = cluster.len();
    let fit: Vec<Vec<bool>> = (0..n)
        .map(|i| {
            let sent = cluster[i].message.sent;
            (0..n).map(|j| fits(all, sent, cluster[j].message.room, cluster[j].got)).collect()
        })
        .collect();
    // Kuhn's algorithm; the given order first, so that it is kept where it fits.
    let mut send_of: Vec<Option<usize>> = (0..n).map(|i| fit[i][i].then_some(i)).collect();
    fn place(i: usize, fit: &[Vec<bool>], send_of: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        for j in 0..fit.len() {
            if fit[i][j] && !std::mem::replace(&mut seen[j], true) {
                let free = match send_of[j] {
                    None => true,
                    Some(other) => place(other, fit, send_of, seen),
                };
                if free {
                    send_of[j] = Some(i);
                    return true;
                }
            }
        }
        false
    }
    let mut left: Vec<usize> = (0..n).filter(|i| !fit[*i][*i]).collect();
    left.retain(|i| !place(*i, &fit, &mut send_of, &mut vec![false; n]));
    let mut open: Vec<usize> = (0..n).filter(|j| send_of[*j].is_none()).collect();
    let mut pairs = Vec::new();
    for i in left {
        let came = |j: &usize| is_what_came(cluster[i].message.sent, cluster[*j].message.room, cluster[*j].got);
        let Some(at) = open.iter().position(|j| *j == i && came(j)).or_else(|| open.iter().position(came)) else {
            continue;
        };
        pairs.push((i, open.remove(at)));
    }
    pairs
}

impl Model {
    /// A pair of ranks whose threads may call at the same time: it is judged together with those whose calls overlapped.
    pub(crate) fn pair_of_threads(&mut self, send: OpId, recv: OpId) {
        let (s, r) = (&self.ops[send], &self.ops[recv]);
        let (Some(sent), Some(room)) = (s.data, r.data) else { return };
        let (sent, room) = (sent.amount, room.amount);
        let (comm, dest, key) = (s.comm, r.rank, (s.rank, s.tag));
        let sure = !s.dim && !r.dim;
        let message =
            Message { send: s.origin.clone(), recv: r.origin.clone(), sent, room, difference: None, count: 1 };
        let pair = Pair { send_at: s.at().clone(), recv_at: r.at().clone(), message, got: r.got };
        let Some(mailbox) = self.comms.list[comm].boxes.get_mut(dest) else { return };
        // The receive of a matched probe comes later than the message, and the lane may have been forgotten meanwhile.
        let at = mailbox.lanes.place(key, NOWHERE);
        let Some(lane) = mailbox.lanes.at(at) else { return };
        lane.unsure |= !sure;
        let closed = if lane.cluster.is_empty() || pair.could_be_in(&lane.cluster) {
            ThinVec::new()
        } else {
            std::mem::take(&mut lane.cluster)
        };
        lane.cluster.push(pair);
        self.judge_cluster((comm, dest, key.0, key.1), closed);
    }

    /// Have all calls of the lane's cluster returned before what is known last of the two ranks?
    pub(crate) fn is_settled(&self, cluster: &[Pair]) -> bool {
        let before_now = |o: &Origin| o.end() <= self.ranks[o.rank as usize].now;
        cluster.iter().all(|p| before_now(&p.send_at) && before_now(&p.recv_at))
    }

    /// Pairs that could have been exchanged among each other, and with no others.
    pub(crate) fn judge_cluster(&mut self, lane: (CommIx, i32, i32, i32), cluster: ThinVec<Pair>) {
        if let [Pair { message: m, .. }] = &cluster[..]
            && self.selection.is_on(&INCORRECT_SEND_SIZE)
            && self.signatures.is_shorter(m.sent, m.room)
        {
            let (send, recv) = (m.send.clone(), m.recv.clone());
            return self.suspect(lane, Message { send, recv, ..*m });
        }
        let alike = |p: &Pair| p.message.is_obviously_fine();
        if cluster.len() > MAX_CLUSTER || cluster.iter().all(alike) {
            return;
        }
        for (i, j) in unexplained(&mut self.signatures, &cluster) {
            let (s, r) = (&cluster[i].message, &cluster[j].message);
            let (send, recv) = (s.send.clone(), r.recv.clone());
            self.suspect(lane, Message { send, recv, sent: s.sent, room: r.room, difference: None, count: 1 });
        }
    }

    /// Judges the clusters that are still open, of the communicators that are wanted.
    pub(crate) fn judge_clusters(&mut self, wanted: impl Fn(CommIx) -> bool) {
        let mut all = Vec::new();
        for (comm, c) in self.comms.list.iter_mut().filter(|(comm, _)| wanted(*comm)) {
            for (dest, mailbox) in c.boxes.iter_mut() {
                for ((source, tag), lane) in mailbox.lanes.iter_mut().filter(|(_, l)| !l.cluster.is_empty()) {
                    all.push(((comm, *dest, *source, *tag), std::mem::take(&mut lane.cluster)));
                }
            }
        }
        for (lane, cluster) in all {
            self.judge_cluster(lane, cluster);
        }
    }
}
