//! Definitions of the objects that a call has made, from local queries of the library alone.

use crate::debuggers::queues;
use crate::mpi::abi::Abi;
use crate::mpi::members::{self, Members};
use crate::mpi::spot::Spot;
use crate::mpi::words::{Words, ask};
use crate::mpi::{datatype, descent, handles, library, other_worlds, types};
use recorder::trace;
use trace_format::definition::{
    BridgeKind, COMM_SELF, COMM_WORLD, Combiner, Definition, Id, NULL_ID, Neighbors, ObjectKind, UNKNOWN_ID,
};
use trace_format::mpi::{Class, Coll, FnId, Function, Kind, Start};
use trace_format::ranks::Ranks;

/// A handle that a query writes to memory.
pub(crate) fn handle_out(abi: &Abi, kind: Kind, function: FnId, args: &[u64]) -> Option<u64> {
    let mut place = 0u64;
    let mut all: Words = [0; library::MAX_ARGS];
    let address = [&raw mut place as u64];
    all.iter_mut().zip(args.iter().chain(&address)).for_each(|(word, arg)| *word = *arg);
    (library::call(function, &all) == Some(0)).then(|| abi.handle_arg(kind, place))
}

/// Writes the definitions of MPI_COMM_WORLD and MPI_COMM_SELF.
pub(crate) fn world(rank: i32, size: i32) {
    let comm = |id, local| Definition::Comm { id, local, remote: None, neighbors: None };
    if let Some(trace) = trace::get() {
        trace
            .define(&[comm(COMM_WORLD, Ranks::first_n(size as u32)), comm(COMM_SELF, std::iter::once(rank).collect())]);
    }
}

/// Defines the intercommunicator to those who have spawned this process. `entered`: when MPI_Init began, in ticks.
pub(crate) fn parent(abi: &'static Abi, handle: u64, entered: u64) {
    let (id, _) = handles::made(Kind::Comm, handle, false, None);
    other_worlds::met(abi, BridgeKind::Parent, id, handle, None, entered);
    if let Some(trace) = trace::get() {
        trace.define(&[comm(abi, id, handle, FnId::MPI_Comm_get_parent.row(), &[0; library::MAX_ARGS])]);
    }
}

pub(crate) fn free_group(_abi: &Abi, group: u64) {
    let mut place = group;
    library::call(FnId::MPI_Group_free, &[&raw mut place as u64]);
}

/// Which ranks the first `n` processes of a group have in the (local) group of a communicator, both valid: MPI_UNDEFINED
/// for those that are not in it. Empty if that cannot be told.
pub(crate) fn places(abi: &Abi, comm: u64, group: u64, n: i32) -> Vec<i32> {
    let Some(own) = handle_out(abi, Kind::Group, FnId::MPI_Comm_group, &[comm]) else { return Vec::new() };
    let ranks: Vec<i32> = (0..n).collect();
    let mut places = vec![0i32; ranks.len()];
    let args = [group, n as u64, ranks.as_ptr() as u64, own, places.as_mut_ptr() as u64];
    let known = library::call(FnId::MPI_Group_translate_ranks, &args) == Some(0);
    free_group(abi, own);
    if known { places } else { Vec::new() }
}

/// The kind of topology of a valid communicator, in the family's numbers.
pub(crate) fn topology(comm: u64) -> i32 {
    let mut kind = i32::MIN;
    library::call(FnId::MPI_Topo_test, &[comm, &raw mut kind as u64]);
    kind
}

/// Neighbours of this process in a valid communicator (MPI 4.1, 8.6): empty without a topology.
pub(crate) fn neighbors(abi: &Abi, comm: u64) -> Neighbors {
    let kind = topology(comm);
    let mut found = Neighbors::default();
    if kind == abi.named.topo_cart {
        for dimension in 0..ask(FnId::MPI_Cartdim_get, comm) as u64 {
            let (mut low, mut high) = (0i32, 0i32);
            library::call(FnId::MPI_Cart_shift, &[comm, dimension, 1, &raw mut low as u64, &raw mut high as u64]);
            found.sources.extend([abi.rank(low), abi.rank(high)]);
        }
        found.destinations.clone_from(&found.sources);
    } else if kind == abi.named.topo_graph {
        let rank = ask(FnId::MPI_Comm_rank, comm) as u64;
        let mut count = 0i32;
        library::call(FnId::MPI_Graph_neighbors_count, &[comm, rank, &raw mut count as u64]);
        let mut list = vec![0i32; count.max(0) as usize];
        library::call(FnId::MPI_Graph_neighbors, &[comm, rank, list.len() as u64, list.as_mut_ptr() as u64]);
        found.sources.clone_from(&list);
        found.destinations = list;
    } else if kind == abi.named.topo_dist_graph {
        let (mut ins, mut outs, mut weighted) = (0i32, 0i32, 0i32);
        let args = [comm, &raw mut ins as u64, &raw mut outs as u64, &raw mut weighted as u64];
        library::call(FnId::MPI_Dist_graph_neighbors_count, &args);
        let (mut sources, mut destinations) = (vec![0i32; ins.max(0) as usize], vec![0i32; outs.max(0) as usize]);
        let mut weights = vec![0i32; sources.len().max(destinations.len()) + 1];
        let args = [
            comm,
            sources.len() as u64,
            sources.as_mut_ptr() as u64,
            weights.as_mut_ptr() as u64,
            destinations.len() as u64,
            destinations.as_mut_ptr() as u64,
            weights.as_mut_ptr() as u64,
        ];
        library::call(FnId::MPI_Dist_graph_neighbors, &args);
        found = Neighbors { sources, destinations };
    }
    found
}

fn comm(abi: &Abi, id: Id, handle: u64, function: &Function, words: &Words) -> Definition {
    let parent = function.param("comm").and_then(|p| words.get(p)).map(|w| abi.handle_arg(Kind::Comm, *w));
    let parent_id = parent.map_or(NULL_ID, |parent| handles::lookup(Kind::Comm, parent));
    let members = match function.class {
        Class::Collective(Coll::CommDup | Coll::CommDupWithInfo, start) => {
            // A nonblocking duplicate must not be used before it is complete.
            let of = if start == Start::Nonblocking { parent.unwrap_or(handle) } else { handle };
            members::of_duplicate(abi, parent_id, of)
        }
        _ => Members::of(abi, handle),
    };
    let Members { local, remote, neighbors } = members;
    let made = queues::Made { id, local: &local, remote: remote.as_ref(), function, words, parent: parent_id };
    queues::made(&made, || handles::describe(Kind::Comm, id));
    Definition::Comm { id, local, remote, neighbors }
}

/// A call that has made something.
#[derive(Clone, Copy)]
pub(crate) struct Maker<'a> {
    pub(crate) function: &'static Function,
    pub(crate) abi: &'static Abi,
    pub(crate) words: &'a Words,
    /// When it began, in ticks.
    pub(crate) entered: u64,
    /// `None`: another tool has called for itself, and what it made is not the program's to free.
    pub(crate) spot: Option<Spot>,
}

/// An object that a call has returned.
pub(crate) enum Returned {
    /// None of the program's making.
    NotMade,
    /// Defined before, or of a kind that has no definitions.
    Known,
    New(Definition),
}

/// Numbers an object that a call has just returned.
pub(crate) fn object(kind: Kind, handle: u64, maker: &Maker) -> Returned {
    let &Maker { function, abi, words, entered, spot } = maker;
    // The parent of a spawned world is one communicator, however often it is asked for.
    let known = function.id == FnId::MPI_Comm_get_parent && handles::lookup(kind, handle) != UNKNOWN_ID;
    if handles::is_predefined(kind, handle) || known {
        return Returned::NotMade;
    }
    // Libraries hand out the same handle again for groups, types and error handlers that they share.
    let shared = matches!(kind, Kind::Group | Kind::Datatype | Kind::Errhandler | Kind::Info);
    let (id, fresh) = handles::made(kind, handle, shared, spot);
    descent::made(abi, (kind, handle), fresh, function, words);
    let plain = |kind| Definition::Object { kind, id };
    let on_comm = |kind| {
        let comm = function.param("comm").and_then(|p| words.get(p)).map(|w| abi.handle_arg(Kind::Comm, *w));
        match comm.map_or(NULL_ID, |c| handles::lookup(Kind::Comm, c)) {
            NULL_ID | UNKNOWN_ID => Definition::Object { kind, id },
            comm => Definition::OnComm { kind, id, comm },
        }
    };
    let definition = match kind {
        Kind::Comm => {
            if let Some(kind) = other_worlds::kind(function) {
                other_worlds::met(abi, kind, id, handle, Some((function, words)), entered);
            }
            if matches!(function.class, Class::Collective(Coll::ThreadcommInit, _)) {
                handles::set_boundless(handle);
            }
            comm(abi, id, handle, function, words)
        }
        Kind::Group => Definition::Group { id, ranks: other_worlds::numbers(abi, handle) },
        Kind::Datatype if fresh => {
            let definition = datatype::definition(abi, id, handle, function.id, words);
            types::learn(&definition);
            mark_type(abi, &definition, handle, function, words);
            definition
        }
        Kind::Op => {
            let commute = function.param("commute").and_then(|p| words.get(p)).is_none_or(|w| *w as i32 != 0);
            Definition::Op { id, commute }
        }
        Kind::Win => on_comm(ObjectKind::Win),
        Kind::File => on_comm(ObjectKind::File),
        Kind::Info if fresh => plain(ObjectKind::Info),
        Kind::Errhandler if fresh => plain(ObjectKind::Errhandler),
        Kind::Session => plain(ObjectKind::Session),
        _ => return Returned::Known,
    };
    Returned::New(definition)
}

/// Notes what sort of datatype a call has made.
fn mark_type(abi: &Abi, definition: &Definition, handle: u64, function: &Function, words: &Words) {
    let Definition::Datatype { combiner, .. } = definition else { return };
    match combiner {
        // The library has made it by itself.
        Combiner::Named | Combiner::Opaque => {}
        // A duplicate is committed if the original was (MPI 4.1, 5.1.10).
        Combiner::Dup => {
            let old = function.param("oldtype").and_then(|p| words.get(p)).copied().unwrap_or(0);
            let old = abi.handle_arg(Kind::Datatype, old);
            if handles::is_constructed(old) {
                handles::set_constructed(handle, !handles::is_uncommitted(old));
            }
        }
        _ => handles::set_constructed(handle, false),
    }
}

/// A datatype was committed.
pub(crate) fn committed(abi: &Abi, words: &Words) {
    if let Some(handle) = crate::mpi::words::handle_at(abi, Kind::Datatype, words[0]) {
        handles::set_committed(handle);
    }
}

/// Names that the program gives to its objects.
pub(crate) fn named(abi: &Abi, function: FnId, words: &Words) {
    let name = |at: u64| {
        // SAFETY: the program passed a C string, and the library has accepted it.
        unsafe { std::ffi::CStr::from_ptr(at as *const std::ffi::c_char) }.to_string_lossy().into_owned()
    };
    let (handle, text) = (words[0], words[1]);
    if text == 0 {
        return;
    }
    let definition = match function {
        FnId::MPI_Comm_set_name => {
            let id = handles::lookup(Kind::Comm, abi.handle_arg(Kind::Comm, handle));
            let name = name(text);
            queues::name_communicator(id, &name);
            Definition::CommName { id, name }
        }
        FnId::MPI_Type_set_name => {
            let id = handles::lookup(Kind::Datatype, abi.handle_arg(Kind::Datatype, handle));
            let name = name(text);
            queues::name_datatype(id, &name);
            Definition::TypeName { id, name }
        }
        _ => return,
    };
    if let Some(trace) = trace::get() {
        trace.define(&[definition]);
    }
}

/// Numbers the datatypes that MPI_Type_get_contents has handed out: each is to be freed by the program. `define` is given the
/// definitions of new ones.
pub(crate) fn contents(maker: &Maker, mut define: impl FnMut(Definition)) {
    let &Maker { function, abi, words, .. } = maker;
    let datatype = words[0];
    let types = match function.id {
        FnId::MPI_Type_get_contents_c => types_of_large(datatype),
        _ => types_of(datatype),
    };
    let Some(types) = types else { return };
    let Some(base) = function.param("array_of_datatypes").and_then(|p| words.get(p)) else { return };
    let bytes = abi.handle_bytes(Kind::Datatype) as u64;
    for i in 0..types {
        let place = base + i * bytes;
        // SAFETY: the library has written this many handles into the program's array.
        let handle = unsafe {
            match bytes {
                4 => u64::from((place as *const u32).read_unaligned()),
                _ => (place as *const u64).read_unaligned(),
            }
        };
        if let Returned::New(definition) = object(Kind::Datatype, handle, maker) {
            define(definition);
        }
    }
}

/// From how many datatypes a datatype was made.
fn types_of(datatype: u64) -> Option<u64> {
    let (mut ints, mut addresses, mut types, mut combiner) = (0i32, 0i32, 0i32, 0i32);
    let args =
        [datatype, &raw mut ints as u64, &raw mut addresses as u64, &raw mut types as u64, &raw mut combiner as u64];
    (library::call(FnId::MPI_Type_get_envelope, &args) == Some(0)).then_some(types.max(0) as u64)
}

/// The same, of a datatype that may be one of a function for large counts (MPI 4.1, 5.1.13).
fn types_of_large(datatype: u64) -> Option<u64> {
    let (mut ints, mut addresses, mut counts, mut types, mut combiner) = (0i64, 0i64, 0i64, 0i64, 0i32);
    let args = [
        datatype,
        &raw mut ints as u64,
        &raw mut addresses as u64,
        &raw mut counts as u64,
        &raw mut types as u64,
        &raw mut combiner as u64,
    ];
    (library::call(FnId::MPI_Type_get_envelope_c, &args) == Some(0)).then_some(types.max(0) as u64)
}
