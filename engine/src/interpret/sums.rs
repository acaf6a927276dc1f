//! Checksums that were taken in a call are put to the operations that they are of.

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{CommIx, Entered, OpId, Origin, Sum};
use std::rc::Rc;
use trace_format::mpi::Class;
use trace_format::system::{Checksum, Checksums};

impl Model {
    /// Gives the sums that were taken in a call to the operations they are of. The call returns.
    pub(crate) fn take_sums(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, entered: &Entered) {
        let sums = &mut self.ranks[origin.rank as usize].thread(origin.thread).sums;
        if sums.is_empty() {
            return;
        }
        let (mine, rest): (Vec<_>, Vec<_>) =
            std::mem::take(sums).into_iter().filter(|c| c.call >= origin.index).partition(|c| c.call == origin.index);
        *sums = rest;
        for c in mine {
            let by_request = matches!(
                s.class,
                Class::Wait(_) | Class::Test(_) | Class::GetStatus(_) | Class::StartOne | Class::StartAll
            );
            let (send, recv, collective) = if by_request {
                let (base, handles) = origin.requests();
                let requests = &self.ranks[origin.rank as usize].requests;
                let Some(id) = requests.find_in(handles, base, c.request as usize) else { continue };
                let Some(request) = requests.get(id) else { continue };
                (request.send, request.recv, request.collective)
            } else {
                (entered.send, entered.recv, entered.collective)
            };
            match collective {
                Some((comm, index, position)) => self.take_part_sums(comm, index, position, origin, c),
                None => {
                    self.take_sum(send, origin, &c.sent);
                    self.take_sum(recv, origin, &c.received);
                }
            }
        }
    }

    fn take_sum(&mut self, op: Option<OpId>, by: &Rc<Origin>, sums: &[Checksum]) {
        if let Some(op) = op.and_then(|op| self.ops.get_mut(op))
            && let [sum] = sums
        {
            op.rare().sum = Some(Sum { sum: *sum, by: by.clone() });
        }
    }

    fn take_part_sums(&mut self, comm: CommIx, index: u64, position: u32, by: &Rc<Origin>, sums: Checksums) {
        let Some(part) = self.comms.list[comm].space.part_mut(index, position) else { return };
        let mine = part.sums.get_or_insert_default();
        let Checksums { sent, received, .. } = sums;
        if !sent.is_empty() {
            mine.sent = sent;
        }
        if !received.is_empty() {
            mine.received = received;
            mine.by = Some(by.clone());
        }
    }
}
