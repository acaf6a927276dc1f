//! Loans of MPI to the program that are no objects with a definition: attribute keys, matched messages, ports, names of
//! services.

use super::Spot;
use crate::call::info::{Loan, Thing};
use crate::mpi::handles;
use crate::mpi::words::{c_string, handle_at, is_true};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard};
use trace_format::mpi::Kind;

/// One thing that was lent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Lent {
    Keyval(i32),
    Message(u64),
    Port(Vec<u8>),
    Service(Vec<u8>),
}

static LENT: Mutex<Option<FxHashMap<Lent, Spot>>> = Mutex::new(None);

fn lent() -> MutexGuard<'static, Option<FxHashMap<Lent, Spot>>> {
    LENT.lock().unwrap_or_else(|e| e.into_inner())
}

/// The loan that the parameters of a call name; `None` if it is nothing that was lent.
fn named(loan: Loan, call: &Call) -> Option<Lent> {
    let &Call { abi, words, .. } = call;
    let word = |param: usize| words.get(param).copied().unwrap_or(0);
    let address = loan.param.map(word).filter(|a| *a >= abi.lowest_address);
    match loan.thing {
        // SAFETY: the program passed the address of its integer, and for an output the library has written it.
        Thing::Keyval => address.map(|a| Lent::Keyval(unsafe { (a as *const i32).read_unaligned() })),
        Thing::Message => {
            let handle = handle_at(abi, Kind::Message, address?)?;
            (!handles::is_predefined(Kind::Message, handle)).then_some(Lent::Message(handle))
        }
        Thing::Port => address.map(|a| Lent::Port(c_string(a).to_vec())),
        Thing::Service => address.map(|a| Lent::Service(c_string(a).to_vec())),
    }
}

/// A call is about to take something back.
#[cold]
pub(crate) fn before(loan: Loan, call: &Call) {
    if loan.back
        && let Some(what) = named(loan, call)
        && let Some(all) = lent().as_mut()
    {
        all.remove(&what);
    }
}

/// A call that succeeded may have lent something.
#[cold]
pub(crate) fn after(thread: &Thread, loan: Loan, call: &Call) {
    if loan.back || call.info.poll.is_some_and(|flag| !is_true(call.abi, call.words.get(flag).copied())) {
        return;
    }
    if let Some(what) = named(loan, call) {
        lent().get_or_insert_default().insert(what, Spot::of(thread, call));
    }
}

/// Everything that was not given back.
pub(super) fn outstanding() -> Vec<(Lent, Spot)> {
    lent().iter().flatten().map(|(what, spot)| (what.clone(), *spot)).collect()
}
