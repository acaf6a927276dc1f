//! `invalid-topology`: see `trace_format::catalogue::INVALID_TOPOLOGY`.

use super::arguments::{Exam, up_to};
use crate::call::topology::{Sort, needed};
use crate::mpi::properties::Standing;
use crate::mpi::words::ask;
use crate::mpi::{define, library};
use trace_format::catalogue::{INVALID_ARGUMENT, INVALID_TOPOLOGY};
use trace_format::mpi::{Class, Coll, Dir, FnId, Kind, Param};

/// Looks at the topology that a call makes or works on.
pub(super) fn check(exam: &mut Exam) -> bool {
    let row = exam.call.info.row;
    match row.class {
        Class::Collective(Coll::CartCreate, _) => grid(exam),
        Class::Collective(Coll::GraphCreate, _) => graph(exam),
        _ if row.id == FnId::MPI_Dims_create => dims(exam),
        _ => needed(row).is_some_and(|sort| is_missing(exam, sort) || position(exam)),
    }
}

fn handle(exam: &Exam) -> u64 {
    exam.call.abi.handle_arg(Kind::Comm, exam.word(exam.call.info.rules.comm))
}

/// Has the communicator another topology, or none?
fn is_missing(exam: &mut Exam, sort: Sort) -> bool {
    let comm = exam.comm();
    if comm.standing != Standing::Sound {
        return false;
    }
    let abi = exam.call.abi;
    let kinds = [
        (abi.named.topo_cart, Sort::Cartesian),
        (abi.named.topo_graph, Sort::Graph),
        (abi.named.topo_dist_graph, Sort::DistributedGraph),
    ];
    let found = define::topology(handle(exam));
    let found = kinds.iter().find(|(value, _)| *value == found).map(|(_, sort)| *sort);
    if found == Some(sort) || sort == Sort::Any && found.is_some() {
        return false;
    }
    let name = |sort| match sort {
        Sort::Cartesian => "a Cartesian topology",
        Sort::Graph => "a graph topology",
        Sort::DistributedGraph => "a distributed graph topology",
        Sort::Any => "a topology",
    };
    let what = exam.argument(exam.call.info.rules.comm, None);
    let has = found.map_or("no topology", name);
    exam.tell(&INVALID_TOPOLOGY, format!("{what} is a communicator with {has}; it must have {}", name(sort)))
}

/// Dimensions, coordinates and directions of a Cartesian topology.
fn position(exam: &mut Exam) -> bool {
    let comm = handle(exam);
    match exam.call.info.row.id {
        FnId::MPI_Cart_shift => {
            let dims = ask(FnId::MPI_Cartdim_get, comm) as i64;
            let Some(param) = exam.place("direction") else { return false };
            let direction = exam.int(param);
            if (0..dims).contains(&direction) {
                return false;
            }
            let what = exam.argument(param, None);
            let range = match dims {
                0 => "the topology has no dimension".to_owned(),
                _ => format!("the topology has dimensions {}", up_to(dims)),
            };
            exam.tell(&INVALID_TOPOLOGY, format!("{what} is {direction}; {range}"))
        }
        FnId::MPI_Cart_coords | FnId::MPI_Cart_get => {
            let dims = ask(FnId::MPI_Cartdim_get, comm) as i64;
            room(exam, "maxdims", dims, "the topology has", "dimension")
        }
        FnId::MPI_Graph_get => {
            let (mut nodes, mut edges) = (0i32, 0i32);
            let args = [comm, &raw mut nodes as u64, &raw mut edges as u64];
            library::call(FnId::MPI_Graphdims_get, &args) == Some(0)
                && (room(exam, "maxindex", i64::from(nodes), "the topology has", "node")
                    || room(exam, "maxedges", i64::from(edges), "the topology has", "edge"))
        }
        FnId::MPI_Graph_neighbors => {
            let Some(rank) = exam.place("rank").map(|p| exam.int(p)) else { return false };
            let mut neighbors = 0i32;
            let args = [comm, rank as u64, &raw mut neighbors as u64];
            let is_node = (0..exam.comm().ranks.map_or(0, i64::from)).contains(&rank);
            is_node
                && library::call(FnId::MPI_Graph_neighbors_count, &args) == Some(0)
                && room(exam, "maxneighbors", i64::from(neighbors), &format!("rank {rank} has"), "neighbour")
        }
        // Fewer are allowed here: the first of them are returned.
        FnId::MPI_Dist_graph_neighbors => {
            let (mut sources, mut destinations, mut weighted) = (0i32, 0i32, 0i32);
            let args = [comm, &raw mut sources as u64, &raw mut destinations as u64, &raw mut weighted as u64];
            library::call(FnId::MPI_Dist_graph_neighbors_count, &args) == Some(0)
                && (is_nowhere(exam, "maxindegree", i64::from(sources), weighted != 0)
                    || is_nowhere(exam, "maxoutdegree", i64::from(destinations), weighted != 0))
        }
        FnId::MPI_Cart_rank => coordinates(exam, comm),
        _ => false,
    }
}

/// Is an array too short for what the topology has, or not there? `most`: the parameter that says how long it is.
fn room(exam: &mut Exam, most: &str, needed: i64, has: &str, noun: &str) -> bool {
    let Some(param) = exam.place(most) else { return false };
    let length = exam.int(param);
    if length >= needed {
        return is_nowhere(exam, most, needed, true);
    }
    let (what, plural) = (exam.argument(param, None), if needed == 1 { "" } else { "s" });
    exam.tell(&INVALID_TOPOLOGY, format!("{what} is {length}, but {has} {needed} {noun}{plural}"))
}

/// Is NULL to be filled? `all`: also with weights, which are integers beside ranks.
fn is_nowhere(exam: &mut Exam, most: &str, needed: i64, all: bool) -> bool {
    let Some(length) = exam.place(most).map(|p| exam.int(p)) else { return false };
    let params = exam.call.info.row.params;
    let missing = |exam: &Exam, i: usize, p: &Param| {
        p.len == most && p.dir == Dir::Out && (all || p.kind == Kind::Rank) && exam.word(i) == 0
    };
    let written = needed.min(length);
    let Some((param, _)) = params.iter().enumerate().find(|(i, p)| written > 0 && missing(exam, *i, p)) else {
        return false;
    };
    let (what, plural) = (exam.argument(param, None), if written == 1 { "element is" } else { "elements are" });
    exam.tell(&INVALID_ARGUMENT, format!("{what} is NULL, but {written} {plural} to be written there"))
}

/// A coordinate may be out of range in a periodic dimension alone (MPI 4.1, 8.5.5).
fn coordinates(exam: &mut Exam, comm: u64) -> bool {
    let Some(param) = exam.place("coords") else { return false };
    let coords = exam.ints(param);
    let n = coords.len();
    let (mut dims, mut periods, mut mine) = (vec![0i32; n], vec![0i32; n], vec![0i32; n]);
    let args = [comm, n as u64, dims.as_mut_ptr() as u64, periods.as_mut_ptr() as u64, mine.as_mut_ptr() as u64];
    if n == 0 || library::call(FnId::MPI_Cart_get, &args) != Some(0) {
        return false;
    }
    let grid = coords.iter().zip(&dims).zip(&periods).enumerate();
    let wrong = grid.into_iter().find(|(_, ((c, d), p))| **p == 0 && !(0..i64::from(**d)).contains(*c));
    let Some((i, ((coordinate, size), _))) = wrong else { return false };
    let what = exam.argument(param, Some(i));
    let message = format!(
        "{what} is {coordinate}; dimension {i} is not periodic and has coordinates {}",
        up_to(i64::from(*size))
    );
    exam.tell(&INVALID_TOPOLOGY, message)
}

/// A grid has room in the group of its communicator.
fn grid(exam: &mut Exam) -> bool {
    let comm = exam.comm();
    let (Some(param), Standing::Sound, Some(processes)) = (exam.place("dims"), comm.standing, comm.ranks) else {
        return false;
    };
    let dims = exam.ints(param);
    if let Some(i) = dims.iter().position(|d| *d < 0) {
        let what = exam.argument(param, Some(i));
        let value = dims.get(i).copied().unwrap_or_default();
        return exam
            .tell(&INVALID_TOPOLOGY, format!("{what} is {value}; the size of a dimension must not be negative"));
    }
    let size = dims.iter().fold(1i64, |all, d| all.saturating_mul(*d));
    if size <= i64::from(processes) {
        return false;
    }
    let shape = dims.iter().map(i64::to_string).collect::<Vec<_>>().join(" x ");
    let (what, product) =
        (exam.argument(param, None), if dims.len() > 1 { format!(" = {size}") } else { String::new() });
    exam.tell(
        &INVALID_TOPOLOGY,
        format!("{what} is a grid of {shape}{product} processes, but the communicator has {processes}"),
    )
}

fn graph(exam: &mut Exam) -> bool {
    let comm = exam.comm();
    let (Some(nodes), Standing::Sound, Some(processes)) = (exam.place("nnodes"), comm.standing, comm.ranks) else {
        return false;
    };
    let n = exam.int(nodes);
    if n > i64::from(processes) {
        let what = exam.argument(nodes, None);
        return exam.tell(&INVALID_TOPOLOGY, format!("{what} is {n}, but the communicator has {processes} processes"));
    }
    let Some(index) = exam.place("index") else { return false };
    let list = exam.ints(index);
    let before = std::iter::once(0).chain(list.iter().copied());
    let Some(i) = list.iter().zip(before).position(|(now, before)| *now < before) else { return false };
    let what = exam.argument(index, Some(i));
    let value = list.get(i).copied().unwrap_or_default();
    exam.tell(
        &INVALID_TOPOLOGY,
        format!("{what} is {value}; the numbers of neighbours add up, so that it cannot decrease"),
    )
}

/// The numbers that MPI_Dims_create is given must divide the number of nodes (MPI 4.1, 8.5.2).
fn dims(exam: &mut Exam) -> bool {
    let (Some(nodes), Some(param)) = (exam.place("nnodes"), exam.place("dims")) else { return false };
    let (nodes, dims) = (exam.int(nodes), exam.ints(param));
    if let Some(i) = dims.iter().position(|d| *d < 0) {
        let what = exam.argument(param, Some(i));
        let value = dims.get(i).copied().unwrap_or_default();
        return exam.tell(&INVALID_TOPOLOGY, format!("{what} is {value}; it must be 0, or the size of the dimension"));
    }
    let fixed: i64 = dims.iter().filter(|d| **d > 0).fold(1, |all, d| all.saturating_mul(*d));
    if nodes <= 0 || nodes % fixed == 0 {
        return false;
    }
    let what = exam.argument(param, None);
    exam.tell(
        &INVALID_TOPOLOGY,
        format!("{what} fixes {fixed} nodes in some dimensions, which does not divide the {nodes} nodes"),
    )
}
