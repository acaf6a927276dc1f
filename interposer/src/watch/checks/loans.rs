//! Loans of MPI to the program that are no objects with a definition: attribute keys, matched messages, ports, names of
//! services.

use super::{Spot, leak_port};
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

/// The call that took it, and for the name of a service: the port that it stands for.
type Taken = (Spot, Option<Vec<u8>>);

static LENT: Mutex<Option<FxHashMap<Lent, Taken>>> = Mutex::new(None);

fn lent() -> MutexGuard<'static, Option<FxHashMap<Lent, Taken>>> {
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
pub(crate) fn before(thread: &mut Thread, loan: Loan, call: &Call) {
    let Some(what) = named(loan, call).filter(|_| loan.back) else { return };
    lent().as_mut().and_then(|all| all.remove(&what));
    if let Lent::Port(port) = &what {
        names_of(port).into_iter().for_each(|(name, spot)| leak_port::still_published(thread, call, &name, spot));
    }
}

/// Takes the names under which the process has published a port.
fn names_of(port: &[u8]) -> Vec<(Vec<u8>, Spot)> {
    let mut all = lent();
    let names = all.iter_mut().flat_map(|all| all.extract_if(|_, (_, of)| of.as_deref() == Some(port)));
    names
        .filter_map(|(what, (spot, _))| if let Lent::Service(name) = what { Some((name, spot)) } else { None })
        .collect()
}

/// A call that succeeded may have lent something.
#[cold]
pub(crate) fn after(thread: &Thread, loan: Loan, call: &Call) {
    if loan.back || call.info.poll.is_some_and(|flag| !is_true(call.abi, call.words.get(flag).copied())) {
        return;
    }
    if let Some(what) = named(loan, call) {
        let port = (loan.thing == Thing::Service).then(|| call.info.row.param("port_name")).flatten();
        let port = port.and_then(|param| call.words.get(param).copied()).filter(|a| *a >= call.abi.lowest_address);
        let port = port.map(|address| c_string(address).to_vec());
        lent().get_or_insert_default().insert(what, (Spot::of(thread, call), port));
    }
}

/// Everything that was not given back.
pub(super) fn outstanding() -> Vec<(Lent, Spot)> {
    lent().iter().flatten().map(|(what, (spot, _))| (what.clone(), *spot)).collect()
}
