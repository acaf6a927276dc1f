//! Hands what the engine tells to the writers, until one of them fails.

use super::{Scene, Writer};
use crate::engine::listen::{Collective, Listener, Message, Returned};
use crate::report::Report;
use std::io;
use trace_format::call::SystemEvent;
use trace_format::file::RankHeader;
use trace_format::marks::LEVEL;
use trace_format::mpi::FnId;

pub(super) struct Teller {
    scene: Scene,
    writers: Vec<Box<dyn Writer>>,
    failed: Option<io::Error>,
}

impl Teller {
    pub(super) fn new(scene: Scene, writers: Vec<Box<dyn Writer>>) -> Teller {
        Teller { scene, writers, failed: None }
    }

    pub(super) fn begin(&mut self, ranks: &[RankHeader]) -> io::Result<()> {
        self.writers.iter_mut().try_for_each(|w| w.begin(&self.scene, ranks))
    }

    pub(super) fn end(&mut self, report: &Report) -> io::Result<()> {
        if let Some(e) = self.failed.take() {
            return Err(e);
        }
        for mark in report.marks() {
            self.writers.iter_mut().try_for_each(|w| w.mark(&self.scene, &mark))?;
        }
        self.writers.iter_mut().try_for_each(|w| w.end())
    }

    fn each(&mut self, tell: impl Fn(&mut dyn Writer, &Scene) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = self.writers.iter_mut().try_for_each(|w| tell(w.as_mut(), &self.scene)).err();
        }
    }
}

/// Does the call say something to mpivet?
fn is_mark(call: &Returned) -> bool {
    call.call.func == FnId::MPI_Pcontrol && call.ins.get(0).int() == i64::from(LEVEL)
}

impl Listener for Teller {
    fn call(&mut self, call: &Returned) {
        // What it says comes as an event of its own.
        if !is_mark(call) {
            self.each(|w, scene| w.call(scene, call));
        }
    }

    fn message(&mut self, message: &Message) {
        self.each(|w, scene| w.message(scene, message));
    }

    fn collective(&mut self, collective: &Collective) {
        self.each(|w, scene| w.collective(scene, collective));
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.each(|w, scene| w.system(scene, (rank, thread), time, event));
    }
}
