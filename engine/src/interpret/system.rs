//! The effect of definitions and of events of the system.

use crate::model::Model;
use crate::state::{Breach, MpiError};
use crate::types::Amount;
use std::sync::Arc;
use trace_format::catalogue::{BUFFER_TOO_SMALL, BUFFER_TYPE};
use trace_format::definition::{Combiner, Definition, FIRST_USER_ID};
use trace_format::file::PROCESS_THREAD;
use trace_format::mpi::{Class, Kind};
use trace_format::system::SystemEvent;
use typemap::Typemap;

impl Model {
    pub(crate) fn define(&mut self, rank: i32, definition: Definition) {
        let r = &mut self.ranks[rank as usize];
        match definition {
            Definition::Module(module) => r.places.add_module(&module),
            Definition::Stack { id, frames } => r.places.add_stack(id, &frames),
            Definition::Source { id, file, function, line } => r.places.add_source(id, &(file, function, line)),
            Definition::SourceStack { id, sources, stack, .. } => r.places.add_source_stack(id, &sources, stack),
            Definition::Comm { id, local, remote, neighbors } => {
                if let Some(neighbors) = neighbors {
                    r.objects.neighbors.insert(id, neighbors);
                }
                r.objects.groups_of.insert(id, (local, remote));
            }
            Definition::CommName { id, name } => {
                r.names.insert((Kind::Comm, id), name);
            }
            Definition::TypeName { id, name } => {
                r.names.insert((Kind::Datatype, id), name);
            }
            Definition::Group { id, ranks } => {
                r.objects.groups.insert(id, ranks);
            }
            Definition::OnComm { kind, id, comm } => {
                let kind = match kind {
                    trace_format::definition::ObjectKind::Win => Kind::Win,
                    _ => Kind::File,
                };
                r.objects.on_comm.insert((kind, id), comm);
            }
            Definition::Datatype { id, combiner, ints, types, size, lb, extent } => {
                self.epoch = self.epoch.wrapping_add(1);
                r.extents.insert(id, extent);
                if id < FIRST_USER_ID || combiner == Combiner::Named {
                    self.signatures.set_size(id, size);
                    return;
                }
                r.variables.define_type(id, combiner, &types);
                let olds: Vec<Amount> = types.iter().map(|t| self.one(rank, *t).unwrap_or(Amount::UNKNOWN)).collect();
                let amount = self.signatures.derived(combiner, &ints, &olds, size);
                let maps: Option<Vec<Arc<Typemap>>> = types.iter().map(|t| self.typemap(rank, *t)).collect();
                let map = maps.and_then(|maps| Typemap::derive(combiner, &ints, &maps, lb, extent));
                let map = map.filter(|map| map.size() == size).or_else(|| Typemap::opaque(size, lb, extent));
                let r = &mut self.ranks[rank as usize];
                r.typemaps.extend(map.map(|map| (id, map)));
                r.types.insert(id, amount);
            }
            Definition::Bridge(_) | Definition::Op { .. } | Definition::Object { .. } | Definition::Blob { .. } => {}
            Definition::Dump { .. } => self.has_dumps = true,
            // Where nobody is told of stacks, no buffers are noted.
            Definition::Frames { stack, thread, slots }
                if [&BUFFER_TOO_SMALL, &BUFFER_TYPE].iter().any(|check| self.selection.is_on(check)) =>
            {
                r.variables.define(stack, thread, &slots);
            }
            Definition::Frames { .. } => {}
            Definition::Array(array) => r.variables.define_array(array),
        }
    }

    pub(crate) fn system(&mut self, rank: i32, thread: u16, time: u64, event: SystemEvent) {
        self.listeners.system(rank, thread, time, &event);
        let r = &mut self.ranks[rank as usize];
        r.heard = r.heard.max(time);
        match event {
            SystemEvent::Exit { status } => {
                r.exit = Some(status);
                // A process that ends well has handled the signals that came before.
                r.signal.take_if(|_| thread == PROCESS_THREAD && status == 0);
            }
            SystemEvent::Signal(signal) => {
                // Records of the process as a whole are read late. A handler that calls MPI_Abort gives up.
                let went_on = match signal.thread {
                    Some(number) => {
                        let last = r.threads.iter().find(|t| t.number == number).and_then(|t| t.last.as_ref());
                        last.is_some_and(|last| last.time > time && last.func.row().class != Class::Abort)
                    }
                    None => thread == PROCESS_THREAD && r.threads.len() == 1 && r.went_on > time,
                };
                r.signal = (!went_on).then_some(signal);
            }
            SystemEvent::MpiError { call, class, fatal, text } => {
                let call = r.call(thread, call);
                r.errors.push(MpiError { call, class, fatal, text });
            }
            SystemEvent::ThreadLevel { call, level, other } => {
                let in_call = |number| {
                    let thread = r.threads.iter().find(|t| t.number == number);
                    thread.and_then(|t| t.open.last()).map(|o| o.origin.clone())
                };
                let other = other.map(|number| (number, in_call(number)));
                if let Some(call) = r.call(thread, call) {
                    r.breaches.push(Breach { call, level, other });
                }
            }
            SystemEvent::Checksums(checksums) => {
                r.sums = true;
                if !(checksums.sent.is_empty() && checksums.received.is_empty()) {
                    r.thread(thread).sums.push(checksums);
                }
            }
            SystemEvent::Lost { .. } => self.make_dim(rank, |r| r.lost = true),
            SystemEvent::Gap { .. } => {
                // The gaps of the threads say which of them are meant.
                if thread != PROCESS_THREAD {
                    r.thread(thread).open.clear();
                }
                self.lose_sight();
            }
            SystemEvent::Annotation { .. }
            | SystemEvent::Sample(_)
            | SystemEvent::Callback(_)
            | SystemEvent::Watched(_) => {}
            SystemEvent::Touched(touched) => self.touch(rank, thread, time, &touched),
            SystemEvent::Recording { on: false } => self.make_dim(rank, |r| r.holed = true),
            SystemEvent::Recording { on: true } => {}
            SystemEvent::Found(found) => {
                if let Some(discovery) = r.discovery(rank, thread, found) {
                    r.discoveries.push(discovery);
                }
            }
        }
    }
}
