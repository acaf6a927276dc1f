//! `leak-port`: see `trace_format::catalogue::LEAK_PORT`.

use super::leaks::{self, Leaks, Wording};
use super::loans::Lent;
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
