//! Where the parameters of a function stand: found once from the rows of the table (kinds and directions, in order),
//! so that to interpret a call is array accesses.

use std::sync::OnceLock;
use trace_format::mpi::{Class, Dir, FUNCTIONS, FnId, Function, Kind};
use trace_reader::reader::{Field, Part, varying_fields};

/// Place of a parameter; [`NONE`] where the function has none.
pub type Place = u8;

pub const NONE: Place = u8::MAX;

/// One message buffer with what describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    pub buf: Place,
    /// One count, or an array with one for each partner.
    pub count: Place,
    /// One datatype, or an array with one for each partner.
    pub datatype: Place,
}

impl Side {
    const EMPTY: Side = Side { buf: NONE, count: NONE, datatype: NONE };
}

/// Places of the parameters that the engine looks at.
#[derive(Debug, Clone, Copy)]
pub struct ArgPlaces {
    pub class: Class,
    pub comm: Place,
    /// The second communicator of a call.
    pub comm2: Place,
    /// Destination of a send, source of a receive or probe; of a combined call the destination.
    pub peer: Place,
    pub tag: Place,
    /// Source and tag of the receiving half of a combined call.
    pub peer2: Place,
    pub tag2: Place,
    pub send: Side,
    pub recv: Side,
    /// Request that is made, or request(s) that are used.
    pub request: Place,
    pub message: Place,
    pub status: Place,
    pub flag: Place,
    pub index: Place,
    pub indices: Place,
    pub root: Place,
    pub op: Place,
    pub group: Place,
    pub text: Place,
    pub info: Place,
    pub win: Place,
    /// Displacement of an access in the memory of its target.
    pub target_disp: Place,
    /// The data of an access at its target, of which the count is [`NONE`] if it is one element. Its rank is [`ArgPlaces::peer`].
    pub target: Side,
    pub file: Place,
    /// The error code that it is asked about.
    pub error: Place,
    /// It is about a file, or about an error that a call on one may have returned.
    pub is_of_files: bool,
    /// The level that MPI_Init_thread gives.
    pub thread_level: Place,
    /// It hands out objects that are to be freed.
    pub hands_out: bool,
    pub new_comm: Place,
    pub new_win: Place,
    pub new_file: Place,
    pub own: OwnRequest,
    pub varying: VaryingPlaces,
}

/// Which varying values ([`varying_fields`]) are of its request; [`NONE`] where there is none.
#[derive(Debug, Clone, Copy)]
pub struct OwnRequest {
    /// The variable of a request that is made, and what is written to it.
    pub variable: Place,
    pub written: Place,
    /// Where the handle of a request that is given is kept, and the handle.
    pub slot: Place,
    pub handle: Place,
}

impl OwnRequest {
    fn of(func: FnId, request: Place) -> OwnRequest {
        let field = |part| {
            let is = |field: &Field| field.part == part && field.place == usize::from(request);
            varying_fields(func).iter().position(is).map_or(NONE, |at| at as Place)
        };
        OwnRequest {
            variable: field(Part::Given),
            written: field(Part::Written),
            slot: field(Part::Slot),
            handle: field(Part::Handle),
        }
    }
}

/// Which values are varying ones ([`varying_fields`]).
#[derive(Debug, Clone, Copy, Default)]
pub struct VaryingPlaces {
    /// Four bits a parameter: the number of the varying value that is its integer, address or handle at the call, from 1;
    /// 0: there is none.
    arguments: u64,
    /// Which one is the number of elements in a buffer, and which one the tag.
    pub count: Option<u8>,
    pub tag: Option<u8>,
    /// Which one is the first word of a status.
    pub status: Option<u8>,
}

impl VaryingPlaces {
    fn of(func: FnId, tag: Place) -> VaryingPlaces {
        let fields = varying_fields(func);
        let is_count = |field: &Field| matches!(func.row().params[field.place].kind, Kind::Count | Kind::LargeCount);
        let numbered = || (1..).zip(fields);
        let is_argument = |field: &Field| matches!(field.part, Part::Given | Part::Handle) && field.place < 16;
        let arguments = numbered().filter(|(_, field)| is_argument(field));
        let at = |is: &dyn Fn(&Field) -> bool| fields.iter().position(is).map(|at| at as u8);
        VaryingPlaces {
            arguments: arguments.fold(0, |all, (number, field)| all | number << (4 * field.place)),
            count: at(&|field| field.part == Part::Given && is_count(field)),
            tag: at(&|field| field.part == Part::Given && field.place == usize::from(tag)),
            status: at(&|field| field.part == Part::Status(0)),
        }
    }

    /// Which varying value is the argument at a place; `None`: none is.
    #[inline]
    pub fn argument(self, place: usize) -> Option<usize> {
        let number = self.arguments.checked_shr(4 * place as u32).unwrap_or(0) & 15;
        (number as usize).checked_sub(1)
    }
}

impl ArgPlaces {
    /// The object whose order of collectives a call of the function belongs to: its kind and its place.
    pub fn ordering_object(&self) -> (Kind, Place) {
        match (self.win, self.file) {
            (NONE, NONE) => (Kind::Comm, self.comm),
            (NONE, file) => (Kind::File, file),
            (win, _) => (Kind::Win, win),
        }
    }
}

/// Where the parameters of `func` stand.
pub fn arg_places(func: FnId) -> &'static ArgPlaces {
    static ALL: OnceLock<Vec<ArgPlaces>> = OnceLock::new();
    &ALL.get_or_init(|| FUNCTIONS.iter().map(of).collect())[func.index()]
}

fn of(f: &Function) -> ArgPlaces {
    let find = |n: usize, test: &dyn Fn(Kind, Dir, bool) -> bool| {
        let mut places = f.params.iter().enumerate().filter(|(_, p)| test(p.kind, p.dir, !p.len.is_empty()));
        places.nth(n).map_or(NONE, |(i, _)| i as Place)
    };
    let named = |name: &str| f.param(name).map_or(NONE, |place| place as Place);
    let used = |kind: Kind| find(0, &|k, d, _| k == kind && d != Dir::Out);
    let made = |kind: Kind| find(0, &|k, d, _| k == kind && d == Dir::Out);
    let mut arg_places = ArgPlaces {
        class: f.class,
        comm: used(Kind::Comm),
        comm2: find(1, &|k, d, _| k == Kind::Comm && d != Dir::Out),
        peer: find(0, &|k, d, a| k == Kind::Rank && d == Dir::In && !a),
        tag: find(0, &|k, d, _| k == Kind::Tag && d == Dir::In),
        peer2: find(1, &|k, d, a| k == Kind::Rank && d == Dir::In && !a),
        tag2: find(1, &|k, d, _| k == Kind::Tag && d == Dir::In),
        send: Side::EMPTY,
        recv: Side::EMPTY,
        request: find(0, &|k, _, _| k == Kind::Request),
        message: find(0, &|k, _, _| k == Kind::Message),
        status: made(Kind::Status),
        flag: made(Kind::Flag),
        index: find(0, &|k, d, a| k == Kind::Index && d == Dir::Out && !a),
        indices: find(0, &|k, d, a| k == Kind::Index && d == Dir::Out && a),
        root: used(Kind::Root),
        op: used(Kind::Op),
        group: used(Kind::Group),
        text: used(Kind::Str),
        win: used(Kind::Win),
        info: used(Kind::Info),
        target_disp: named("target_disp"),
        target: target(f),
        file: used(Kind::File),
        error: used(Kind::ErrorCode),
        is_of_files: [Kind::File, Kind::ErrorCode].iter().any(|kind| f.params.iter().any(|p| p.kind == *kind)),
        thread_level: if f.class == Class::Init { made(Kind::Const) } else { NONE },
        hands_out: hands_out(f.params),
        new_comm: made(Kind::Comm),
        new_win: made(Kind::Win),
        new_file: made(Kind::File),
        own: OwnRequest::of(f.id, find(0, &|k, _, _| k == Kind::Request)),
        varying: VaryingPlaces::of(f.id, find(0, &|k, d, _| k == Kind::Tag && d == Dir::In)),
    };
    // A buffer is described by the count and the datatype behind it; two buffers may share those behind both.
    for (i, p) in f.params.iter().enumerate() {
        if !matches!(p.kind, Kind::SendBuf | Kind::RecvBuf | Kind::Buf) {
            continue;
        }
        let behind = |test: &dyn Fn(Kind) -> bool| {
            let place = f.params.iter().enumerate().skip(i + 1).find(|(_, p)| test(p.kind));
            place.map_or(NONE, |(i, _)| i as Place)
        };
        // Displacements come between counts and type, so that the first count behind the buffer is the right one.
        let side = Side {
            buf: i as Place,
            count: behind(&|k| matches!(k, Kind::Count | Kind::LargeCount)),
            datatype: behind(&|k| k == Kind::Datatype),
        };
        match p.kind {
            Kind::SendBuf => arg_places.send = side,
            Kind::RecvBuf => arg_places.recv = side,
            _ => {
                arg_places.send = side;
                arg_places.recv = side;
            }
        }
    }
    arg_places
}

/// The data of an access at its target (MPI 4.1, 12.3): MPI_Fetch_and_op and MPI_Compare_and_swap have one datatype for all.
fn target(f: &Function) -> Side {
    if !matches!(f.class, Class::Rma | Class::RmaRequest) {
        return Side::EMPTY;
    }
    let place = |name: &str| f.param(name).map_or(NONE, |place| place as Place);
    match place("target_datatype") {
        NONE => Side { datatype: place("datatype"), ..Side::EMPTY },
        datatype => Side { buf: NONE, count: place("target_count"), datatype },
    }
}

/// Kinds of objects that are forgotten when they are freed.
pub(crate) fn is_forgotten(kind: Kind) -> bool {
    matches!(kind, Kind::Comm | Kind::Win | Kind::File | Kind::Group | Kind::Datatype)
}

/// Does a call of a function with these parameters hand out objects?
pub(crate) fn hands_out(params: &[trace_format::mpi::Param]) -> bool {
    params.iter().any(|p| p.dir == Dir::Out && is_forgotten(p.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(func: FnId, places: &[Place]) -> Vec<&'static str> {
        places.iter().map(|p| if *p == NONE { "-" } else { func.row().params[*p as usize].name }).collect()
    }

    #[test]
    fn places_are_those_of_the_standard() {
        let f = FnId::MPI_Sendrecv;
        let s = arg_places(f);
        assert_eq!(names(f, &[s.peer, s.tag, s.peer2, s.tag2]), ["dest", "sendtag", "source", "recvtag"]);
        assert_eq!(names(f, &[s.send.count, s.send.datatype]), ["sendcount", "sendtype"]);
        assert_eq!(names(f, &[s.recv.count, s.recv.datatype]), ["recvcount", "recvtype"]);
        let f = FnId::MPI_Gatherv;
        let s = arg_places(f);
        assert_eq!(names(f, &[s.send.count, s.recv.count, s.recv.datatype]), ["sendcount", "recvcounts", "recvtype"]);
        let f = FnId::MPI_Reduce_scatter;
        let s = arg_places(f);
        assert_eq!(names(f, &[s.send.count, s.recv.count, s.recv.datatype]), ["recvcounts", "recvcounts", "datatype"]);
        let f = FnId::MPI_Waitsome;
        let s = arg_places(f);
        assert_eq!(names(f, &[s.request, s.index, s.indices]), ["array_of_requests", "outcount", "array_of_indices"]);
        let f = FnId::MPI_Sendrecv_replace;
        let s = arg_places(f);
        assert_eq!(names(f, &[s.send.count, s.recv.datatype, s.peer2]), ["count", "datatype", "source"]);
        let f = FnId::MPI_Alltoallw;
        let s = arg_places(f);
        assert_eq!(
            names(f, &[s.send.count, s.send.datatype, s.recv.datatype]),
            ["sendcounts", "sendtypes", "recvtypes"]
        );
        let f = FnId::MPI_Intercomm_create;
        let s = arg_places(f);
        assert_eq!(
            names(f, &[s.comm, s.comm2, s.peer, s.peer2, s.new_comm]),
            ["local_comm", "peer_comm", "local_leader", "remote_leader", "newintercomm"]
        );
    }
}
