//! What handling the calls of a function needs to know, worked out once from its row of the table.

use crate::checks::Rules;
use crate::encode::max_bytes;
use crate::real;
use trace_format::mpi::{Class, Coll, Dir, FUNCTIONS, FnId, Function, Kind, Param, Start};
use trace_format::plan::{Plan, plans};
use trace_format::record::CALL_HEADER_BYTES;

/// What dispatching a function needs to know, worked out once from its row.
pub(crate) struct Info {
    pub(crate) row: &'static Function,
    pub(crate) plan: &'static Plan,
    pub(crate) args: usize,
    /// Most bytes of a record of this function.
    pub(crate) max_record: usize,
    pub(crate) ignored_in_place: Option<(usize, usize)>,
    /// The status parameters.
    pub(crate) status: Option<(usize, bool)>,
    /// Output handles that name new objects.
    pub(crate) makes: Vec<(usize, Kind)>,
    /// The handle that the call frees.
    pub(crate) frees: Option<(usize, Kind)>,
    /// The parameter that says whether a poll found something, and the value that says no.
    pub(crate) poll: Option<usize>,
    /// Statuses and indices mean something even when the call returns an error.
    pub(crate) completes: bool,
    pub(crate) watched: Watched,
    /// Every thread may call it at any time.
    pub(crate) always_available: bool,
    /// What checks look at before it is called.
    pub(crate) rules: Rules,
}

/// Functions that need more than recording.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    No,
    Init,
    Finalize,
    SessionInit,
    SessionFinalize,
    SetErrhandler,
    GetErrhandler,
    FreeErrhandler,
    SetName,
    GetContents,
    Commit,
    GetAttribute,
}

/// That of all functions, by number.
pub(crate) fn all() -> Vec<Info> {
    FUNCTIONS.iter().zip(plans()).map(|(row, plan)| info(row, plan)).collect()
}

fn info(row: &'static Function, plan: &'static Plan) -> Info {
    let object = |k: Kind| k.is_handle() && !matches!(k, Kind::Request | Kind::Message);
    let single = |dir| move |p: &&Param| p.dir == dir && p.len.is_empty();
    let freeing = match row.class {
        Class::Free | Class::SessionFinalize => true,
        Class::Collective(coll, _) => {
            matches!(coll, Coll::CommFree | Coll::CommDisconnect | Coll::WinFree | Coll::FileClose)
        }
        _ => false,
    };
    let place = |kind: Kind| row.params.iter().position(|p| p.kind == kind && p.len.is_empty());
    let status = row.params.iter().position(|p| p.kind == Kind::Status && p.dir == Dir::Out);
    Info {
        row,
        plan,
        args: arg_count(row),
        max_record: CALL_HEADER_BYTES + 16 + max_bytes(&plan.ins) + max_bytes(&plan.outs),
        ignored_in_place: place(Kind::SendBuf).zip(place(Kind::RecvBuf)),
        status: status.map(|p| (p, !row.params[p].len.is_empty())),
        makes: row
            .params
            .iter()
            .enumerate()
            .filter(|(_, p)| single(Dir::Out)(p) && object(p.kind))
            .map(|(i, p)| (i, p.kind))
            .collect(),
        frees: row
            .params
            .iter()
            .position(|p| freeing && single(Dir::InOut)(&p) && object(p.kind))
            .map(|i| (i, row.params[i].kind)),
        poll: match row.class {
            Class::Test(_) | Class::Probe(Start::Nonblocking) | Class::GetStatus(_) => {
                row.param("flag").or_else(|| row.param("outcount"))
            }
            Class::Mprobe(Start::Nonblocking) => row.param("flag"),
            _ => None,
        },
        completes: matches!(row.class, Class::Wait(_) | Class::Test(_)),
        watched: match row.id {
            _ if row.class == Class::Init => Watched::Init,
            _ if row.class == Class::SessionInit => Watched::SessionInit,
            _ if row.class == Class::SessionFinalize => Watched::SessionFinalize,
            FnId::MPI_Finalize => Watched::Finalize,
            FnId::MPI_Comm_set_errhandler | FnId::MPI_Errhandler_set => Watched::SetErrhandler,
            FnId::MPI_Comm_get_errhandler | FnId::MPI_Errhandler_get => Watched::GetErrhandler,
            FnId::MPI_Errhandler_free => Watched::FreeErrhandler,
            FnId::MPI_Comm_set_name | FnId::MPI_Type_set_name => Watched::SetName,
            FnId::MPI_Type_get_contents => Watched::GetContents,
            FnId::MPI_Type_commit => Watched::Commit,
            FnId::MPI_Comm_get_attr | FnId::MPI_Attr_get => Watched::GetAttribute,
            _ => Watched::No,
        },
        always_available: row.id.is_always_available(),
        rules: Rules::of(row),
    }
}

/// Words that are passed on: MPI_Pcontrol takes what a tool wants.
pub(crate) fn arg_count(row: &Function) -> usize {
    if row.class == Class::Pcontrol { real::MAX_ARGS } else { row.params.len() }
}
