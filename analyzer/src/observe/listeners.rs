//! Listeners that want to know more of a run than findings, and what they make of it.

use engine::Engine;
use engine::listeners::Listener;
use engine::worlds::Names;
use report::ProtocolListener;
use report::statistics::{Collector, Statistics};
use report::symbols::Symbols;
use report::timeline::{Recorder, Timeline};
use std::sync::{Arc, Mutex, PoisonError};

/// See the module.
#[derive(Default)]
pub(super) struct Listeners {
    /// Listeners that no engine knows yet.
    waiting: Vec<Box<dyn Listener>>,
    /// Collects the data of the protocol, if a report shows it.
    seen: Option<Arc<Mutex<ProtocolListener>>>,
    /// Counts calls and messages, if a report shows statistics.
    collector: Option<Arc<Mutex<Collector>>>,
    /// Records the time line, if a report shows it.
    recorder: Option<Arc<Mutex<Recorder>>>,
}

impl Listeners {
    pub(super) fn add(&mut self, listener: Box<dyn Listener>) {
        self.waiting.push(listener);
    }

    pub(super) fn keep_protocol(&mut self) {
        self.seen = Some(self.share());
    }

    pub(super) fn count(&mut self) {
        self.collector = Some(self.share());
    }

    pub(super) fn draw(&mut self) {
        self.recorder = Some(self.share());
    }

    /// Makes a listener that this struct and the engine share.
    fn share<T: Default + 'static>(&mut self) -> Arc<Mutex<T>>
    where
        Arc<Mutex<T>>: Listener,
    {
        let shared = Arc::new(Mutex::new(T::default()));
        self.add(Box::new(shared.clone()));
        shared
    }

    /// Lets all of them listen to this engine from now on.
    pub(super) fn attach(&mut self, engine: &mut Engine) {
        match std::mem::take(&mut self.waiting) {
            nobody if nobody.is_empty() => {}
            all => engine.listen(Box::new(all)),
        }
    }

    pub(super) fn wants_protocol(&self) -> bool {
        self.seen.is_some()
    }

    /// The data of the protocol.
    pub(super) fn seen(&mut self) -> Option<ProtocolListener> {
        self.seen.take().map(taken)
    }

    pub(super) fn statistics(&mut self, names: &Names, symbols: &mut Symbols) -> Option<Statistics> {
        self.collector.take().map(|collector| taken(collector).finish(names, symbols))
    }

    pub(super) fn timeline(&mut self, names: &Names, symbols: &mut Symbols) -> Option<Timeline> {
        self.recorder.take().map(|recorder| taken(recorder).finish(names, symbols))
    }
}

/// Takes the data out of a shared listener.
fn taken<T: Default>(shared: Arc<Mutex<T>>) -> T {
    std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner))
}
