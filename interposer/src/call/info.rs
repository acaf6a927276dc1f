//! The facts that handling the calls of a function needs, worked out once from its row of the table.

use crate::call::access_places::AccessPlaces;
use crate::call::call_cache::{self, CallCache};
use crate::call::encode::{Steps, max_bytes};
use crate::call::operands::Operands;
use crate::call::requests::RequestParam;
use crate::call::rules::RulesOnUse;
use crate::debuggers::queues;
use crate::mpi::abi::Abi;
use crate::mpi::library;
use recorder::stage::FixedRecord;
use std::ffi::c_void;
use trace_format::mpi::{Class, Coll, Dir, FUNCTIONS, FnId, Function, Kind, Param, SendMode, Start};
use trace_format::plan::{Plan, Shape, plans};
use trace_format::record::{CALL_HEADER_BYTES, State};
use trace_format::run::witness::Wildcards;

/// The facts that dispatching a function needs, worked out once from its row.
pub(crate) struct Info {
    pub(crate) row: &'static Function,
    pub(crate) func: FnId,
    pub(crate) plan: &'static Plan,
    pub(crate) abi: &'static Abi,
    /// Where calls of `MPI_X` and of `PMPI_X` go on, as addresses: see [`library::next`]. Both are known before calls are
    /// recorded.
    next: [usize; 2],
    /// Its calls may take the quick path.
    pub(crate) is_quick: bool,
    /// Threads remember the values of its calls.
    pub(crate) is_remembered: bool,
    /// Words by which they tell its calls at a call site apart: none if they remember no values.
    pub(crate) remembered_words: usize,
    pub(crate) ins: Steps,
    pub(crate) outs: Steps,
    /// Bytes of the values at the call, if all calls have as many; else 0.
    pub(crate) in_bytes: usize,
    /// Its records, if all are as long.
    pub(crate) fixed: Option<FixedRecord>,
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
    /// How its calls are altered, in a run that the user wants altered.
    pub(crate) altered: Option<Altered>,
    /// The loan that it gives to the program or takes back, which is no object with a definition.
    pub(crate) loan: Option<Loan>,
    /// It makes, lends, takes back, completes (MPI_Grequest_complete) or ends something.
    pub(crate) handles_objects: bool,
    /// It only turns a handle or status of Fortran into one of C, or the other way round. No Fortran routine does so.
    pub(crate) is_conversion: bool,
    /// Every thread may call it at any time.
    pub(crate) always_available: bool,
    /// The rules that checks look at before it is called.
    pub(crate) rules: RulesOnUse,
    pub(crate) role: Role,
    pub(crate) on_window: OnWindow,
    /// Where its arguments are, if it accesses a window.
    pub(crate) access: Option<Box<AccessPlaces>>,
    pub(crate) buffering: Buffering,
    /// Its requests.
    pub(crate) request: Option<RequestParam>,
    /// Its message buffers.
    pub(crate) operands: Operands,
    /// Where its arguments are, if debuggers are told of its calls.
    pub(crate) queued: Option<queues::Shape>,
}

/// How calls of a function are altered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Altered {
    /// The function of this number is called instead.
    Synchronous(usize),
    Narrowed(Wildcards),
    /// MPI_Win_create is given another view of the memory, which nothing protects (`--precise`).
    SecondView,
    /// MPI_Win_get_attr tells the program where its own view is.
    OwnView,
}

/// The part of a function in attached buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buffering {
    None,
    Attach,
    Detach,
    Send,
}

impl Buffering {
    pub(crate) fn of(id: FnId, class: Class) -> Buffering {
        use FnId::*;
        match id {
            MPI_Buffer_attach
            | MPI_Buffer_attach_c
            | MPI_Comm_attach_buffer
            | MPI_Comm_attach_buffer_c
            | MPI_Session_attach_buffer
            | MPI_Session_attach_buffer_c => Buffering::Attach,
            MPI_Buffer_detach
            | MPI_Buffer_detach_c
            | MPI_Comm_detach_buffer
            | MPI_Comm_detach_buffer_c
            | MPI_Session_detach_buffer
            | MPI_Session_detach_buffer_c => Buffering::Detach,
            _ if matches!(class, Class::Send(SendMode::Buffered, Start::Blocking | Start::Nonblocking)) => {
                Buffering::Send
            }
            _ => Buffering::None,
        }
    }
}

/// The effect of a function on requests and on the memory of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    None,
    /// Uses buffers, and is done with them when it returns.
    Blocking,
    /// Makes a request and starts its operation.
    Starts,
    /// Makes a request that MPI_Start starts.
    Describes,
    /// MPI_Start and MPI_Startall.
    Restarts,
    Completes,
    /// MPI_Request_get_status and the like.
    Peeks,
    Frees,
    Cancels,
    /// MPI_Pready and MPI_Parrived.
    Marks,
}

/// The part of a function in one-sided communication. Its role is none then, so that other calls pay nothing for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnWindow {
    No,
    /// An access to a window, with or without a request.
    Accesses,
    /// One-sided synchronization, or the end of a window.
    Synchronizes,
    /// It says which memory a window exposes, or how much.
    Exposes,
    /// It frees memory that windows may expose.
    Frees,
}

impl OnWindow {
    pub(crate) fn of(row: &Function) -> OnWindow {
        use FnId::{MPI_Free_mem, MPI_Win_attach, MPI_Win_detach, MPI_Win_shared_query, MPI_Win_shared_query_c};
        match row.class {
            _ if matches!(row.id, MPI_Win_attach | MPI_Win_detach) => OnWindow::Exposes,
            _ if matches!(row.id, MPI_Win_shared_query | MPI_Win_shared_query_c) => OnWindow::Exposes,
            Class::Collective(Coll::WinCreate | Coll::WinAllocate | Coll::WinAllocateShared, _) => OnWindow::Exposes,
            _ if row.id == MPI_Free_mem => OnWindow::Frees,
            // MPIX_Win_get_notify_request accesses nothing.
            Class::Rma | Class::RmaRequest if row.param("target_rank").is_some() => OnWindow::Accesses,
            Class::RmaSync(_) | Class::Collective(Coll::WinFence | Coll::WinFree, _) => OnWindow::Synchronizes,
            _ => OnWindow::No,
        }
    }
}

fn request(row: &Function, plan: &Plan) -> Option<RequestParam> {
    let (param, p) = row.params.iter().enumerate().find(|(_, p)| p.kind == Kind::Request)?;
    let len = plan.ins.iter().find(|i| i.param == param).and_then(|i| match i.shape {
        Shape::SlotAndArray { len, at_root, .. } => Some((len, at_root)),
        _ => None,
    });
    Some(RequestParam { param, by_value: p.dir == Dir::In && len.is_none(), len })
}

fn role(row: &Function, operands: &Operands) -> Role {
    let makes_request = row.params.iter().any(|p| p.kind == Kind::Request && p.dir == Dir::Out);
    match row.class {
        Class::PartitionedSend | Class::PartitionedRecv => Role::Describes,
        Class::Send(_, Start::Persistent) | Class::Recv(Start::Persistent) => Role::Describes,
        Class::Collective(_, Start::Persistent) => Role::Describes,
        Class::StartOne | Class::StartAll => Role::Restarts,
        Class::Wait(_) | Class::Test(_) => Role::Completes,
        Class::GetStatus(_) => Role::Peeks,
        Class::RequestFree => Role::Frees,
        Class::Cancel => Role::Cancels,
        Class::Pready | Class::Parrived => Role::Marks,
        _ if OnWindow::of(row) != OnWindow::No => Role::None,
        _ if makes_request => Role::Starts,
        _ if !operands.is_empty() => Role::Blocking,
        _ => Role::None,
    }
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
    CreateErrhandler,
    AddsError,
    Abort,
    GetErrhandler,
    FreeErrhandler,
    SetName,
    GetContents,
    Pcontrol,
    Commit,
    GetAttribute,
    GrequestStart,
    /// A function that sets the count in a status, or whether it was cancelled.
    SetsStatus,
}

/// Things that the program is given and gives back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loan {
    pub(crate) thing: Thing,
    /// The parameter that names it.
    pub(crate) param: Option<usize>,
    /// The program gives it back.
    pub(crate) back: bool,
}

/// Things without a definition of their own that are to be given back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thing {
    Keyval,
    /// The message that a matched probe has found.
    Message,
    Port,
    /// A name under which a port is published.
    Service,
}

fn loan(row: &Function) -> Option<Loan> {
    let of_kind = |kind| row.params.iter().position(|p| p.kind == kind && p.dir != Dir::In);
    let loan = |thing, param, back| Some(Loan { thing, param, back });
    match row.class {
        Class::Create | Class::Free if of_kind(Kind::Keyval).is_some() => {
            return loan(Thing::Keyval, of_kind(Kind::Keyval), row.class == Class::Free);
        }
        Class::Mprobe(_) => return loan(Thing::Message, of_kind(Kind::Message), false),
        Class::Mrecv(_) => return loan(Thing::Message, of_kind(Kind::Message), true),
        _ => {}
    }
    use FnId::*;
    match row.id {
        MPI_Open_port => loan(Thing::Port, row.param("port_name"), false),
        MPI_Close_port => loan(Thing::Port, row.param("port_name"), true),
        MPI_Publish_name => loan(Thing::Service, row.param("service_name"), false),
        MPI_Unpublish_name => loan(Thing::Service, row.param("service_name"), true),
        _ => None,
    }
}

/// The properties of a function in the eyes of modules that stand above this one.
#[derive(Clone, Copy)]
pub(crate) struct Said {
    /// Are there rules for its arguments that follow from no kind of parameter?
    pub(crate) has_special_rules: fn(&Function) -> bool,
    pub(crate) altered: fn(&Function) -> Option<Altered>,
}

/// May calls of this function take the short way?
fn is_quick(info: &Info) -> bool {
    let is_plain = info.watched == Watched::No && info.altered.is_none() && info.poll.is_none();
    let makes_nothing = !info.handles_objects && info.frees.is_none() && info.buffering == Buffering::None;
    let is_there = info.next.iter().all(|address| *address != 0);
    is_plain && makes_nothing && is_there && info.row.ret == Kind::Code && info.plan.outs_sized
}

/// The facts of all functions, by number.
pub(crate) fn all(abi: &'static Abi, said: Said) -> Vec<Info> {
    FUNCTIONS.iter().zip(plans()).map(|(row, plan)| info(row, plan, abi, said)).collect()
}

fn info(row: &'static Function, plan: &'static Plan, abi: &'static Abi, said: Said) -> Info {
    let object = |k: Kind| k.is_handle() && !matches!(k, Kind::Request | Kind::Message);
    let single = |dir| move |p: &&Param| p.dir == dir && p.len.is_empty();
    let freeing = match row.class {
        Class::Free | Class::SessionFinalize => true,
        Class::Collective(coll, _) => {
            matches!(
                coll,
                Coll::CommFree | Coll::CommDisconnect | Coll::ThreadcommFree | Coll::WinFree | Coll::FileClose
            )
        }
        _ => false,
    };
    let place = |kind: Kind| row.params.iter().position(|p| p.kind == kind && p.len.is_empty());
    let status = row.params.iter().enumerate().find(|(_, p)| p.kind == Kind::Status && p.dir == Dir::Out);
    let operands = Operands::of(row, plan);
    let (ins, outs) = (Steps::of(&plan.ins, abi), Steps::of(&plan.outs, abi));
    let info = Info {
        row,
        func: row.id,
        plan,
        abi,
        next: [false, true].map(|profiling| library::next(row.id.index(), profiling) as usize),
        is_quick: false,
        is_remembered: false,
        remembered_words: 0,
        fixed: ins.bytes.zip(outs.bytes).map(|(ins, outs)| {
            FixedRecord::new(row.id as u16, State::Entered, CALL_HEADER_BYTES + usize::from(ins + outs))
        }),
        in_bytes: ins.bytes.map_or(0, usize::from),
        ins,
        outs,
        args: arg_count(row),
        // Values that are remembered are copied whole, whatever room they take.
        max_record: CALL_HEADER_BYTES + 16 + max_bytes(&plan.ins).max(call_cache::BYTES) + max_bytes(&plan.outs),
        ignored_in_place: place(Kind::SendBuf).zip(place(Kind::RecvBuf)),
        status: status.map(|(i, p)| (i, !p.len.is_empty())),
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
            .enumerate()
            .find(|(_, p)| freeing && single(Dir::InOut)(p) && object(p.kind))
            .map(|(i, p)| (i, p.kind)),
        poll: match row.class {
            class if class.is_poll() => row.param("flag").or_else(|| row.param("outcount")),
            _ => None,
        },
        completes: matches!(row.class, Class::Wait(_) | Class::Test(_)),
        watched: match row.id {
            _ if row.class == Class::Init => Watched::Init,
            _ if row.class == Class::SessionInit => Watched::SessionInit,
            _ if row.class == Class::SessionFinalize => Watched::SessionFinalize,
            FnId::MPI_Finalize => Watched::Finalize,
            FnId::MPI_Errhandler_free => Watched::FreeErrhandler,
            FnId::MPI_Add_error_class | FnId::MPI_Add_error_code => Watched::AddsError,
            // The handlers of MPIX_Comm_create_errhandler_x take other arguments.
            FnId::MPI_Errhandler_create
            | FnId::MPI_Comm_create_errhandler
            | FnId::MPI_Win_create_errhandler
            | FnId::MPI_File_create_errhandler
            | FnId::MPI_Session_create_errhandler => Watched::CreateErrhandler,
            _ if row.class == Class::Abort => Watched::Abort,
            _ if row.params.iter().any(|p| p.kind == Kind::Errhandler && p.dir == Dir::In) => Watched::SetErrhandler,
            _ if row.params.iter().any(|p| p.kind == Kind::Errhandler && p.dir == Dir::Out) => Watched::GetErrhandler,
            FnId::MPI_Comm_set_name | FnId::MPI_Type_set_name => Watched::SetName,
            FnId::MPI_Type_get_contents | FnId::MPI_Type_get_contents_c => Watched::GetContents,
            FnId::MPI_Pcontrol => Watched::Pcontrol,
            FnId::MPI_Type_commit => Watched::Commit,
            FnId::MPI_Comm_get_attr | FnId::MPI_Attr_get => Watched::GetAttribute,
            FnId::MPI_Grequest_start => Watched::GrequestStart,
            FnId::MPI_Status_set_elements
            | FnId::MPI_Status_set_elements_c
            | FnId::MPI_Status_set_elements_x
            | FnId::MPI_Status_set_cancelled => Watched::SetsStatus,
            _ => Watched::No,
        },
        altered: (said.altered)(row),
        loan: loan(row),
        handles_objects: false,
        is_conversion: row.name.ends_with("_f2c") || row.name.ends_with("_c2f"),
        always_available: row.id.is_always_available(),
        rules: RulesOnUse::of(row, (said.has_special_rules)(row)),
        role: role(row, &operands),
        on_window: OnWindow::of(row),
        access: AccessPlaces::of(row).map(Box::new),
        buffering: Buffering::of(row.id, row.class),
        request: request(row, plan),
        operands,
        queued: queues::Shape::of(row).filter(|_| queues::are_kept()),
    };
    let ends = matches!(info.watched, Watched::Finalize | Watched::SessionFinalize);
    let completes_own = row.class == Class::GrequestComplete;
    let handles_objects = ends || completes_own || info.loan.is_some() || !info.makes.is_empty();
    let is_remembered = CallCache::fits(&info);
    let remembered_words = if is_remembered { CallCache::words_of(info.args) } else { 0 };
    let info = Info { handles_objects, is_remembered, remembered_words, ..info };
    Info { is_quick: is_quick(&info), ..info }
}

impl Info {
    /// See [`library::next`].
    #[inline(always)]
    pub(crate) fn next(&self, profiling: bool) -> *mut c_void {
        let [call, entry] = self.next;
        (if profiling { entry } else { call }) as *mut c_void
    }
}

/// Words that are passed on: MPI_Pcontrol takes what a tool wants.
pub(crate) fn arg_count(row: &Function) -> usize {
    if row.class == Class::Pcontrol { library::MAX_ARGS } else { row.params.len() }
}

/// Nothing is said of any function, for tests.
#[cfg(test)]
pub(crate) const NOTHING_SAID: Said = Said { has_special_rules: |_| false, altered: |_| None };
