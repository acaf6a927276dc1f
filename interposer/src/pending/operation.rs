//! An operation with a request.

use crate::call::call_cache::Place;
use crate::debuggers::queues::Queued;
use crate::mpi::descent::Descent;
use crate::mpi::spot::Spot;
use crate::pending::partitions::Partitions;
use crate::pending::snapshots::Snapshots;
use crate::pending::spare::Spare;
use crate::pending::uses::{Access, Use, Uses};
use crate::precise::accesses::Watched;
use smallvec::SmallVec;
use trace_format::mpi::{Class, Kind};
use typemap::{Buffer, Key};

/// A buffer of an operation that the call `started` has started, or a part of it, as it is watched.
pub(crate) fn watched(started: Spot, used: &Use, buffer: Buffer) -> Watched {
    let &Use { param, func, base, access, .. } = used;
    // Other processes may read what a collective operation has written: the library passes it on from there.
    let is_shared = access != Access::Write || matches!(func.row().class, Class::Collective(..));
    Watched { buffer, is_closed: !is_shared, started, param, func, base }
}

/// An operation with a request.
pub(crate) struct Operation {
    pub(crate) class: Class,
    /// The call that made the request.
    pub(crate) made: Spot,
    /// The call that started it last.
    pub(crate) started: Spot,
    pub(crate) persistent: bool,
    /// Started and not complete, as far as the program was told.
    pub(crate) active: bool,
    pub(crate) cancelled: bool,
    /// The program was told that it is complete, without completing it (MPI_Request_get_status).
    pub(crate) seen_complete: bool,
    /// Another operation was told to use its memory: what becomes of the data has its cause.
    pub(crate) is_disturbed: bool,
    /// Its buffers; those of a persistent one are the same at every start.
    pub(crate) uses: Uses,
    pub(crate) keys: SmallVec<[Key; 1]>,
    pub(crate) snapshots: Snapshots,
    pub(crate) partitions: Option<Box<Partitions>>,
    /// Its entry for debuggers.
    pub(crate) queued: Queued,
    /// The model that its communicator, window or file is derived from.
    descent: Descent,
    /// The call that its buffers are those of, if its thread remembers that.
    pub(crate) place: Option<Place>,
}

impl Operation {
    pub(crate) fn new(class: Class, made: Spot) -> Operation {
        Operation {
            class,
            made,
            place: None,
            started: made,
            persistent: false,
            active: false,
            cancelled: false,
            seen_complete: false,
            is_disturbed: false,
            uses: Uses::new(),
            keys: SmallVec::new(),
            snapshots: Snapshots::default(),
            partitions: None,
            queued: Queued::new(),
            descent: Descent::World,
        }
    }

    /// The call `made` makes it, in memory of another one.
    pub(crate) fn begin(&mut self, class: Class, made: Spot) {
        (self.class, self.made, self.started) = (class, made, made);
        (self.persistent, self.active, self.cancelled) = (false, false, false);
        (self.seen_complete, self.is_disturbed) = (false, false);
    }

    /// Notes where its communicator, window or file comes from.
    #[cold]
    pub(crate) fn set_descent(&mut self, descent: Descent) {
        self.descent = descent;
    }

    /// The model that it is derived from: requests without a communicator go with all.
    pub(crate) fn descent(&self) -> Descent {
        match self.class {
            Class::GrequestStart | Class::Mrecv(_) | Class::BufferFlush(_) => Descent::Open,
            _ => self.descent,
        }
    }

    /// Are there received data to be looked at that nobody had a reason to touch since, now that it turns out to be
    /// complete?
    pub(crate) fn may_have_received(&self) -> bool {
        let is_untouched = self.active && !self.seen_complete && !self.cancelled && !self.is_disturbed;
        is_untouched && self.partitions.is_none() && self.uses.iter().any(|u| u.access.writes())
    }

    /// Are the buffers that it reads to be compared with what they held, now that it turns out to be complete?
    pub(crate) fn may_have_changed(&self) -> bool {
        let is_pending = self.active && !self.seen_complete && !self.cancelled;
        is_pending && !self.is_disturbed && !self.snapshots.is_empty()
    }

    /// May its buffers be watched? The C library has threads of its own that read and write files; nobody stands in front of them.
    pub(crate) fn may_be_watched(&self) -> bool {
        let moves_messages = matches!(
            self.class,
            Class::Send(..)
                | Class::Recv(_)
                | Class::SendRecv(_)
                | Class::SendRecvReplace(_)
                | Class::Mrecv(_)
                | Class::PartitionedSend
                | Class::PartitionedRecv
                | Class::Collective(..)
                | Class::Rma
                | Class::RmaRequest
        );
        moves_messages && self.made.func.row().params.iter().all(|param| param.kind != Kind::File)
    }

    /// Do parts of its buffers belong to the program and to MPI in turn?
    pub(crate) fn is_partitioned(&self) -> bool {
        matches!(self.class, Class::PartitionedSend | Class::PartitionedRecv)
    }
}

impl Operation {
    /// A copy with all that is needed to look at the data of an operation whose request lives on. The snapshots move there: they
    /// are compared once.
    pub(crate) fn copy_of_the_last_start(&mut self, spare: &mut Spare) -> Box<Operation> {
        let mut copy = spare.take(self.class, self.made);
        copy.begin(self.class, self.made);
        (copy.started, copy.persistent, copy.active) = (self.started, self.persistent, self.active);
        (copy.cancelled, copy.seen_complete, copy.is_disturbed) =
            (self.cancelled, self.seen_complete, self.is_disturbed);
        copy.uses.extend(self.uses.iter().cloned());
        std::mem::swap(&mut copy.snapshots, &mut self.snapshots);
        copy
    }
}
