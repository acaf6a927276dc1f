//! Buffers that may lie in variables of the program: they are noted call by call, and looked up when the run is over.

use super::own_memory::Use;
use crate::arg_places::NONE;
use crate::model::Model;
use crate::state::{Element, Extent, Origin, Typed, locals_between};
use rma::Deed;
use std::rc::Rc;
use std::sync::Arc;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::Class;
use trace_reader::args::Args;

/// Basic elements of a datatype that are compared with a variable.
const MAX_ELEMENTS: usize = 256;

impl Model {
    /// A call of which something is new: its buffers. `outs`: of one that has returned.
    pub(super) fn note_buffers(&mut self, origin: &Rc<Origin>, outs: Option<&Args>) {
        let s = origin.arg_places;
        let has_data = (s.send.buf, s.recv.buf) != (NONE, NONE);
        if !has_data || matches!(s.class, Class::PartitionedSend | Class::PartitionedRecv) {
            return;
        }
        let none = Args::default();
        for used in self.uses(origin, s, &none) {
            self.note_buffer_of(origin, &used, outs);
        }
    }

    fn note_buffer_of(&mut self, origin: &Rc<Origin>, used: &Use, outs: Option<&Args>) -> Option<()> {
        let side = used.side;
        let address = origin.int(side.buf).filter(|address| *address > 0)?;
        let r = &self.ranks[origin.rank as usize];
        let slots = r.variables.slots(origin.site, origin.thread);
        let may_be_variable = r.may_have_variable(address as u64, locals_between(slots));
        let datatype = origin.int(side.datatype).map(|id| id as Id);
        let known = r.variables.kept.get(&(origin.site, side.buf));
        let is_typed = datatype.is_none_or(|id| known.is_some_and(|kept| kept.has_type(id)));
        if !may_be_variable && is_typed {
            return None;
        }
        let slots = slots.cloned();
        let runs = self.used_runs(origin, used)?;
        let from = runs.iter().map(|run| run.0).min()?;
        let to = runs.iter().map(|run| run.1).max()?;
        // A datatype may lead from one variable to others. If one element of it does not, many do not, either.
        let is_irregular = datatype.is_none_or(|id| self.ranks[origin.rank as usize].variables.irregular.contains(&id));
        let same = match datatype.filter(|_| is_irregular) {
            None if is_irregular => to,
            None => from,
            Some(id) => address.checked_add(self.typemap(origin.rank, id)?.true_ub())?.max(from),
        };
        let elements = datatype.filter(|_| !is_typed).and_then(|id| self.elements_of(origin.rank, id));
        let takes_less = matches!(origin.arg_places.class, Class::Recv(_) | Class::Mrecv(_))
            || matches!(origin.arg_places.class, Class::SendRecv(_) | Class::SendRecvReplace(_))
                && used.deed == Deed::Write;
        let status = outs.and_then(|outs| origin.status_at(outs, origin.arg_places.status, 0));
        let kept = self.ranks[origin.rank as usize].variables.at(origin.site, side.buf)?;
        match (datatype, elements) {
            (Some(datatype), Some(elements)) => {
                kept.types.push(Typed { call: origin.clone(), side, address, datatype, elements });
            }
            (Some(datatype), None) if !is_typed && datatype < FIRST_USER_ID => kept.unformed.push(datatype),
            _ => {}
        }
        if may_be_variable {
            let got = status.and_then(|status| status.bytes).filter(|_| takes_less);
            let bytes = (u64::try_from(from).ok()?, u64::try_from(to).ok()?);
            let same = u64::try_from(same).ok()?;
            kept.add(Extent { call: origin.clone(), side, bytes, same, got, takes_less, slots });
        }
        Some(())
    }

    /// The basic elements of a datatype, the first of them if there are many. `None`: they are not known.
    pub(crate) fn elements_of(&self, rank: i32, datatype: Id) -> Option<Arc<[Element]>> {
        let element = |offset: i64, basic: Id| {
            let (letter, size) = self.signatures.representation(basic)?;
            (letter != ' ' && size > 0).then_some(Element { offset, basic, letter, size })
        };
        if datatype < FIRST_USER_ID {
            let (mut all, mut at) = (Vec::new(), 0u64);
            for basic in self.signatures.parts(datatype)? {
                let size = element(0, basic)?.size;
                // As C lays a structure out.
                at = at.next_multiple_of(size);
                all.push(element(at as i64, basic)?);
                at += size;
            }
            return Some(all.into());
        }
        let map = self.typemap(rank, datatype).filter(|map| !map.is_opaque())?;
        let (mut all, mut nth) = (Vec::new(), 0);
        while all.len() < MAX_ELEMENTS
            && let Some(place) = map.locate(1, nth)
        {
            let one = element(place.offset, place.basic)?;
            nth += one.size;
            all.push(one);
        }
        (!all.is_empty()).then(|| all.into())
    }
}
