//! Buffers are attached, detached and flushed.

use crate::model::Model;
use crate::state::{Origin, names_session};
use trace_format::definition::Id;
use trace_format::mpi::{Class, Dir, Kind};

impl Model {
    /// A call has attached, detached or flushed a buffer.
    pub(crate) fn note_buffer(&mut self, origin: &Origin) {
        let s = origin.arg_places;
        let attaches = s.class == Class::BufferAttach;
        if names_session(origin) {
            self.ranks[origin.rank as usize].buffers.of_sessions |= attaches;
            return;
        }
        let Some(id) = origin.int(s.comm) else { return };
        let Some(comm) = self.resolve(origin, Kind::Comm, id as Id) else { return };
        let own = &mut self.ranks[origin.rank as usize].buffers.own;
        // Only what is detached is handed back to the program.
        let detaches = origin.func.row().params.iter().any(|p| p.dir == Dir::Out && p.kind == Kind::Pointer);
        if attaches {
            own.insert(comm.ix, origin.time);
        } else if detaches {
            own.remove(&comm.ix);
        }
    }
}
