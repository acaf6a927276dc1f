//! `leak-port`: see `trace_format::catalogue::LEAK_PORT`.

use super::leaks::{self, Leaks, Wording};
use super::loans::Lent;
use super::{Finding, Spot};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::catalogue::LEAK_PORT;

pub(super) fn check(leaks: &Leaks, thread: &mut Thread) {
    let ports = leaks.things(|what| matches!(what, Lent::Port(_)));
    leaks::tell(thread, &LEAK_PORT, &Wording { noun: "port", made: "opened", undone: "closed" }, &ports);
    let services = leaks.things(|what| matches!(what, Lent::Service(_)));
    leaks::tell(
        thread,
        &LEAK_PORT,
        &Wording { noun: "service name", made: "published", undone: "unpublished" },
        &services,
    );
}

/// A port is about to be closed under which a name is still published.
#[cold]
pub(super) fn still_published(thread: &mut Thread, call: &Call, name: &[u8], published: Spot) {
    let name = String::from_utf8_lossy(name);
    let message = format!("{} closes a port that is still published as \"{name}\"", call.info.row.name);
    let here = Spot::of(thread, call);
    Finding::new(&LEAK_PORT, message)
        .at(here, "closes the port")
        .at(published, "published the name")
        .tell_in_report(thread);
}
