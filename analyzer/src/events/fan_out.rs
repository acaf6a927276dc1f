//! Hands what the engine tells to the writers, until one of them fails.

use super::{Limit, Scene, Writer};
use engine::listeners::{Collective, Listener, Message, Returned};
use report::Report;
use std::io;
use trace_format::file::RankHeader;
use trace_format::system::SystemEvent;

pub(super) struct FanOut {
    scene: Scene,
    writers: Vec<Box<dyn Writer>>,
    failed: Option<io::Error>,
    limit: Limit,
    left_out: u64,
}

impl FanOut {
    pub(super) fn new(scene: Scene, writers: Vec<Box<dyn Writer>>, limit: Limit) -> FanOut {
        FanOut { scene, writers, failed: None, limit, left_out: 0 }
    }

    /// Events beyond the limit.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    pub(super) fn begin(&mut self, ranks: &[RankHeader]) -> io::Result<()> {
        self.writers.iter_mut().try_for_each(|w| w.begin(&self.scene, ranks))
    }

    pub(super) fn end(&mut self, report: &Report) -> io::Result<()> {
        if let Some(e) = self.failed.take() {
            return Err(e);
        }
        for call in report.finding_calls() {
            self.writers.iter_mut().try_for_each(|w| w.finding(&self.scene, &call))?;
        }
        self.writers.iter_mut().try_for_each(|w| w.end())
    }

    /// Hands out an event of which there may be any number.
    fn each_of_many(&mut self, write: impl Fn(&mut dyn Writer, &Scene) -> io::Result<()>) {
        match self.limit.is_reached() {
            true => self.left_out += 1,
            false => self.each(write),
        }
    }

    fn each(&mut self, write: impl Fn(&mut dyn Writer, &Scene) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = self.writers.iter_mut().try_for_each(|w| write(w.as_mut(), &self.scene)).err();
        }
    }
}

impl Listener for FanOut {
    fn call(&mut self, call: &Returned) {
        self.each_of_many(|w, scene| w.call(scene, call));
    }

    fn message(&mut self, message: &Message) {
        self.each_of_many(|w, scene| w.message(scene, message));
    }

    fn collective(&mut self, collective: &Collective) {
        self.each_of_many(|w, scene| w.collective(scene, collective));
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.each(|w, scene| w.system(scene, (rank, thread), time, event));
    }
}
