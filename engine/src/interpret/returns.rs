//! The return of a call: operations end, objects and requests appear.

use super::{is_refused, may_have_received};
use crate::arg_places::{ArgPlaces, NONE};
use crate::collective::is_blocking;
use crate::model::Model;
use crate::state::{CommIx, CommKey, Comms, Entered, Made, Origin, Request, Topology, int};
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::predefined::UNKNOWN_ERROR_CLASS;
use trace_format::mpi::{Class, Coll, FnId, Kind, Start, ThreadLevel};
use trace_reader::args::Args;

impl Model {
    /// The return of a call.
    pub(crate) fn leave(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, entered: Entered, class: u16, outs: &Args) {
        self.listeners.begin(origin);
        let failed = class != 0;
        if failed {
            let r = &mut self.ranks[origin.rank as usize];
            r.failures.insert((origin.thread, origin.index));
            r.thread(origin.thread).failed = Some(origin.clone());
        }
        let is_of_life = matches!(s.class, Class::Init | Class::Finalize | Class::SessionInit | Class::SessionFinalize);
        if self.blind && !is_of_life {
            return;
        }
        if s.is_of_files {
            self.leave_file_call(origin, s, class, outs);
            self.follow_file(origin, s, failed);
        }
        if self.ranks[origin.rank as usize].sums {
            self.take_sums(origin, s, &entered);
        }
        // An exception has left the call, or the library has an error class of its own: nobody says what it did.
        if class == UNKNOWN_ERROR_CLASS {
            for op in [entered.send, entered.recv].into_iter().flatten() {
                self.ops.get_mut(op).into_iter().for_each(|op| op.dim = true);
            }
        }
        if !failed {
            self.notify_blocking(origin, &entered, true);
        }
        let operation = entered.collective.map(|(object, number, _)| (object, number));
        match s.class {
            Class::Init if !failed => {
                let r = &mut self.ranks[origin.rank as usize];
                r.initialized = true;
                r.start = Some(origin.func);
                r.main_thread = Some(origin.thread);
                let level = match s.thread_level {
                    // MPI_Init asks for no other (MPI 4.1, 11.2.1).
                    NONE => Some(ThreadLevel::Single),
                    place => int(outs, place).and_then(ThreadLevel::by_value),
                };
                r.multiple |= level == Some(ThreadLevel::Multiple);
                r.funneled = level.is_some_and(|level| level <= ThreadLevel::Funneled);
            }
            Class::Finalize => self.ranks[origin.rank as usize].finalized = !failed,
            Class::SessionInit if !failed => {
                let r = &mut self.ranks[origin.rank as usize];
                r.sessions += 1;
                // A session has a level of its own.
                r.multiple = true;
            }
            Class::SessionFinalize if !failed => {
                let r = &mut self.ranks[origin.rank as usize];
                r.sessions = r.sessions.saturating_sub(1);
            }
            Class::Send(_, Start::Blocking) => {
                if let Some(op) = entered.send {
                    if failed { self.withdraw(op) } else { self.finish_op(op) }
                }
            }
            Class::Recv(Start::Blocking)
            | Class::SendRecv(Start::Blocking)
            | Class::SendRecvReplace(Start::Blocking)
                if !may_have_received(class) =>
            {
                for op in [entered.send, entered.recv].into_iter().flatten() {
                    self.withdraw(op);
                }
            }
            Class::Recv(Start::Blocking) => {
                if let Some(op) = entered.recv {
                    self.end_recv(op, origin.status_at(outs, s.status, 0), failed, false);
                }
            }
            Class::SendRecv(Start::Blocking) | Class::SendRecvReplace(Start::Blocking) => {
                if let Some(op) = entered.send {
                    self.finish_op(op);
                }
                if let Some(op) = entered.recv {
                    self.end_recv(op, origin.status_at(outs, s.status, 0), failed, false);
                }
            }
            Class::Send(_, Start::Nonblocking)
            | Class::Recv(Start::Nonblocking)
            | Class::SendRecv(Start::Nonblocking)
            | Class::SendRecvReplace(Start::Nonblocking) => {
                if failed {
                    for op in [entered.send, entered.recv].into_iter().flatten() {
                        self.withdraw(op);
                    }
                } else {
                    let mut request = Request::new(origin, s.class);
                    (request.send, request.recv) = (entered.send, entered.recv);
                    self.add_request(request, outs);
                }
            }
            Class::Send(_, Start::Persistent)
            | Class::Recv(Start::Persistent)
            | Class::SendRecv(Start::Persistent)
            | Class::SendRecvReplace(Start::Persistent)
            | Class::PartitionedSend
            | Class::PartitionedRecv
            | Class::Collective(_, Start::Persistent)
                if !failed =>
            {
                let mut request = Request::new(origin, s.class);
                (request.persistent, request.active) = (true, false);
                if matches!(s.class, Class::PartitionedSend | Class::PartitionedRecv) {
                    self.describe_partitioned(origin, &mut request);
                }
                if matches!(s.class, Class::Collective(..)) {
                    request.rare().made = self.number_persistent(origin, s);
                }
                self.add_request(request, outs);
            }
            Class::Probe(_) if !failed => self.probed(origin, s, outs),
            Class::Mprobe(_) if !failed => self.matched_probe(origin, s, outs),
            Class::Mrecv(Start::Nonblocking) => self.matched_recv(origin, s, Start::Nonblocking, failed, outs),
            Class::Pready => self.mark_ready(origin, failed),
            Class::Wait(many) => self.complete(origin, s, many, true, failed, outs),
            Class::Test(many) => self.complete(origin, s, many, false, failed, outs),
            Class::GetStatus(many) if !failed => self.peek(origin, s, many, outs),
            Class::RequestFree if !failed => {
                let (base, handles) = origin.requests();
                if let Some(id) = self.ranks[origin.rank as usize].requests.find_in(handles, base, 0) {
                    self.free_request(origin, id);
                }
            }
            Class::Cancel if !failed => {
                let (base, handles) = origin.requests();
                let requests = &mut self.ranks[origin.rank as usize].requests;
                if let Some(request) = requests.find_in(handles, base, 0).and_then(|id| requests.get_mut(id)) {
                    request.cancelled = true;
                    let ops = [request.send, request.recv];
                    ops.into_iter().flatten().for_each(|op| self.notify_nothing(op));
                }
            }
            Class::Collective(coll, start) => {
                match coll {
                    Coll::WinFence => self.fence(origin, s, failed),
                    Coll::WinFree if !failed => self.window_freed(origin.rank, operation.map(|(object, _)| object)),
                    _ => {}
                }
                self.note_topology(origin, s, coll, outs);
                let mut entered = entered;
                if is_refused(class)
                    && let Some((comm, index, position)) = entered.collective.take()
                {
                    self.not_taken_part(comm, index, position);
                }
                if let Some((comm, index, _)) = entered.collective {
                    self.made_by(origin, s, comm, index, outs);
                } else if let Some(id) = int(outs, s.new_comm) {
                    // Where the other members of the parent are not known: told by its group and the order.
                    let objects = &mut self.ranks[origin.rank as usize].objects;
                    self.comms.register(origin.rank, objects, Kind::Comm, id as Id, None);
                }
                if start == Start::Nonblocking && !failed {
                    let mut request = Request::new(origin, s.class);
                    request.collective = entered.collective;
                    self.add_request(request, outs);
                } else if let Some((comm, index, position)) = entered.collective {
                    debug_assert!(is_blocking(origin.func) || failed);
                    self.part_done(comm, index, position);
                }
            }
            Class::CommCreateGroup | Class::CommFromGroup => {
                if let Some((comm, index, position)) = entered.collective {
                    self.made_by(origin, s, comm, index, outs);
                    self.part_done(comm, index, position);
                }
            }
            Class::IntercommCreate | Class::IntercommFromGroups => {
                if let Some((comm, index, position)) = entered.collective {
                    self.part_done(comm, index, position);
                }
                if let Some(id) = int(outs, s.new_comm) {
                    let objects = &mut self.ranks[origin.rank as usize].objects;
                    let tag = origin.int(s.tag).unwrap_or(0);
                    if let Some(key) = self.comms.inter_key(objects, id as Id, tag) {
                        self.comms.register(origin.rank, objects, Kind::Comm, id as Id, Some(key));
                    }
                }
            }
            Class::RmaSync(sync) => {
                self.synchronize(origin, s, failed, int(outs, s.flag));
                if let Some(window) = entered.window {
                    self.leave_epoch(origin, sync, window, failed, int(outs, s.flag).is_some_and(|f| f != 0));
                }
            }
            Class::Local | Class::Create if s.info != NONE && !failed => self.note_info(origin, s, outs),
            Class::Local if s.win != NONE && !failed => {
                self.note_attached(origin, s);
                self.note_shared(origin, s, outs);
            }
            Class::Rma => self.access(origin, s, failed, entered.is_range_known),
            Class::RmaRequest if failed => self.access(origin, s, failed, entered.is_range_known),
            Class::RmaRequest => {
                self.access(origin, s, failed, entered.is_range_known);
                let mut request = Request::new(origin, s.class);
                let window = origin.int(s.win).and_then(|id| self.resolve(origin, Kind::Win, id as Id));
                request.rare().window = window.map(|w| w.ix);
                self.add_request(request, outs);
            }
            Class::BufferAttach | Class::BufferFlush(Start::Blocking) if !failed => self.note_buffer(origin),
            Class::FileIo(Start::Nonblocking) | Class::BufferFlush(Start::Nonblocking) | Class::GrequestStart
                if !failed =>
            {
                let mut request = Request::new(origin, s.class);
                // Requests of MPIX_Grequest_start are polled by the library.
                request.incomplete = origin.func == FnId::MPI_Grequest_start;
                self.add_request(request, outs);
            }
            _ => {}
        }
        if !failed {
            self.note_handles(origin, s, outs);
        }
        if !failed && !self.ranks[origin.rank as usize].exposes.is_empty() {
            self.use_own_memory(origin, s, operation, outs);
        }
        self.learn(origin, s, operation, outs);
    }

    /// The process has made a persistent collective operation: which one on its communicator.
    fn number_persistent(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) -> Option<Made> {
        let m = self.collective_object(origin, s)?;
        Some(self.make_persistent(m.ix, m.position, origin))
    }

    /// The kind of topology that a new communicator has.
    fn note_topology(&mut self, origin: &Origin, s: &ArgPlaces, coll: Coll, outs: &Args) {
        let Some(new) = int(outs, s.new_comm) else { return };
        let topologies = &mut self.ranks[origin.rank as usize].objects.topologies;
        let old = origin.int(s.comm).and_then(|old| topologies.get(&(old as Id)).copied());
        let kind = match coll {
            Coll::CartCreate | Coll::CartSub => Some(Topology::Grid),
            Coll::GraphCreate => Some(Topology::WholeGraph),
            Coll::DistGraphCreate | Coll::DistGraphCreateAdjacent => Some(Topology::Graph),
            Coll::CommDup | Coll::CommDupWithInfo => old,
            _ => None,
        };
        if let Some(kind) = kind {
            topologies.insert(new as Id, kind);
        }
    }

    /// Objects that a collective made.
    fn made_by(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, parent: CommIx, index: u64, outs: &Args) {
        let objects = &mut self.ranks[origin.rank as usize].objects;
        let rank = origin.rank;
        if let Some(id) = int(outs, s.new_comm)
            && let Some(first) = Comms::first_rank(objects, id as Id)
        {
            let key = CommKey::Child { parent, index, first };
            self.comms.register(rank, objects, Kind::Comm, id as Id, Some(key));
        }
        let (mut window, mut file) = (None, None);
        for (kind, place) in [(Kind::Win, s.new_win), (Kind::File, s.new_file)] {
            if let Some(id) = int(outs, place) {
                let key = CommKey::Object { parent, index };
                let member = self.comms.register(rank, objects, kind, id as Id, Some(key));
                window = window.or(member.filter(|_| kind == Kind::Win));
                file = file.or(member.filter(|_| kind == Kind::File));
            }
        }
        if let (Some(window), Class::Collective(coll, _)) = (window, s.class) {
            self.note_window(origin, coll, window, outs);
        }
        if let Some(file) = file {
            self.note_file(origin, file);
        }
    }

    pub(crate) fn add_request(&mut self, request: Request, outs: &Args) {
        let (slot, handle) = request.origin.new_request(outs);
        self.ranks[request.origin.rank as usize].requests.add(request, handle, slot);
    }
}
