//! When recording begins and ends. Nothing happens before MPI_Init or MPI_Session_init: launchers, shells and helper processes
//! load this library too. After fork the child is silent.

use crate::call::info::Said;
use crate::call::mode::{self, INTERNAL_ERROR, Mode};
use crate::call::sites;
use crate::debuggers::queues;
use crate::job::config::Config;
use crate::job::launch;
use crate::job::place::{arguments, cwd, directory, program};
use crate::mpi::abi::Abi;
use crate::mpi::real::{self, Real};
use crate::mpi::sessions;
use crate::mpi::words::{Words, ask};
use crate::mpi::{define, handles};
use crate::process::{errors, forced, limits, signals, stranger};
use crate::state::in_handler;
use crate::state::user_threads::{OTHER_STACK, OTHER_THREAD};
use crate::state::{interrupted, thread};
use crate::tool;
use crate::watch::marks;
use crate::watch::{checks, early};
use recorder::{clock, environment, log, owner, stage_place, stop, threads, trace};
use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use trace_format::file::{
    Launch, RATE_BYTES, RankHeader, SEGMENTS, STAGE_BYTES, VERSION, job_path, other_stem, rank_stem, segment_path,
    stage_path_of, trace_path,
};
use trace_format::head::{Head, OpenError};
use trace_format::job::{Buffering, Job, Mpi};
use trace_format::mpi::{Class, FnId, Kind, Rows, ThreadLevel};
use trace_format::private;
use trace_format::variables::Variables;

/// What is known before MPI_Init.
pub(crate) struct Before {
    config: Config,
    clock: clock::Reading,
    launch: Launch,
    /// The threads of the process.
    threads: BTreeSet<u32>,
    settings: tool::Settings,
}

/// Called before the library's MPI_Init or first MPI_Session_init. `None` if nothing is to be recorded.
pub(crate) fn before_init() -> Option<Before> {
    std::panic::set_hook(Box::new(|info| log::line(&format!("internal error: {info}"))));
    let config = Config::from_environment();
    if config.disabled {
        mode::set_mode(Mode::Off);
        return None;
    }
    clock::choose();
    let settings = tool::apply(&config);
    Some(Before { config, clock: clock::Reading::take(), launch: launch::launch(), threads: threads(), settings })
}

/// Called after a successful MPI_Init, or MPI_Session_init without one: opens the trace and starts recording. The call
/// itself is recorded later.
pub(crate) fn after_init(mut before: Before, class: Class, words: &Words) {
    let Some(real) = real::library() else { return };
    real.has_started(class == Class::SessionInit);
    let abi = real.abi();
    handles::learn_predefined(real);
    errors::handlers::learn(real);
    let by_session = if class == Class::SessionInit { sessions::made(abi, words) } else { None };
    let found = match by_session {
        Some(session) => sessions::rank_and_size(abi, session),
        None => real
            .predefined_handle(Kind::Comm, "MPI_COMM_WORLD")
            .map(|world| (ask(FnId::MPI_Comm_rank, world) as i32, ask(FnId::MPI_Comm_size, world) as i32)),
    };
    let Some((rank, size)) = found else { return };
    before.launch.spawned |= by_session.is_none() && parent(abi).is_some();
    // Before anything of this process may fail: others measure with it.
    let measures = before.config.probe_limits && class == Class::Init && !before.launch.spawned;
    let buffering = if measures { limits::measure(real, abi, rank, size) } else { None };
    let program = program();
    let dir = directory(&before.config, &program, before.launch.spawned);
    if let (Some(sampling), Class::Init) = (&before.config.sampling, class) {
        tool::sampling::begin(real, sampling, rank);
    }
    forced::prepare(&before.config, &program, rank, size, before.launch.spawned);
    let ticks_per_second = before.clock.ticks_per_second();
    let (start_ticks, start_unix_ns) = clock::now_and_unix_ns();
    let mut header = RankHeader {
        mpivet: env!("CARGO_PKG_VERSION").to_owned(),
        rows: Rows::all(),
        rank,
        size,
        pid: std::process::id(),
        pid_start: launch::process_start(std::process::id()).unwrap_or(0),
        host: launch::host(),
        ticks_per_second,
        start_ticks,
        start_unix_ns,
        request_stride: abi.handle_bytes(Kind::Request) as u32,
        stage_bytes: STAGE_BYTES as u32,
        stage_dir: String::new(),
        stack_depth: before.config.stack_depth as u32,
        may_have_threads: may_have_threads(abi, class),
        library_threads: threads().difference(&before.threads).copied().collect(),
        program: program.clone(),
        cwd: cwd(),
        launch: before.launch,
        keeping: before.config.keeping,
    };
    let plain = match open(&dir, before.config.stage_dir.as_deref(), &mut header) {
        Ok(plain) => plain,
        Err(e) => {
            log::line(&format!("rank {rank}: cannot record to {}: {e}; the program runs unchecked", dir.display()));
            return mode::set_mode(Mode::Off);
        }
    };
    stop::prepare(&[INTERNAL_ERROR, OTHER_STACK, OTHER_THREAD]);
    owner::claim();
    early::is_recorded();
    if rank == 0 && plain && !before.config.under_run {
        early::forget_others(&dir);
    }
    thread::prepare(&before.config, marks::thread_ended);
    define::world(rank, size);
    if let Some(trace) = trace::get() {
        trace.define(&sites::new_modules(&[after_init as *const () as u64]));
    }
    let variable = |name: &str| environment::var(name).ok();
    let is_alone = size == 1 && class == Class::Init;
    let stranger = is_alone.then(|| stranger::of(real::identity(), variable)).flatten();
    if let Some(stranger) = stranger.as_ref().filter(|stranger| stranger.is_first) {
        log::line(&stranger.text);
    }
    if rank == 0 && plain {
        let warning = stranger.map(|stranger| stranger.text);
        // Reading the variables takes some libraries long; by then another rank may have ended the job.
        job(real, abi, &before.config, &header, (buffering.clone(), None, warning.clone()));
        let values = before.settings.values;
        // Gives the reference on the tool interface back, which must not be held while variables are read.
        let wishes = before.settings.took_effect();
        let mut variables = if before.config.variables { tool::variables(real, values) } else { None };
        wishes.iter().filter(|w| w.refused.is_some()).for_each(|w| log::line(&w.text()));
        if !wishes.is_empty() {
            variables.get_or_insert_default().wishes = wishes;
        }
        if variables.is_some() {
            job(real, abi, &before.config, &header, (buffering, variables, warning));
        }
        if !before.config.under_run {
            log::line(&format!("recording to {0}; for the report run: mpivet analyze {0}", dir.display()));
        }
    }
    // SAFETY: the handlers have the right types and live as long as the process: this library is never unloaded.
    unsafe {
        libc::pthread_atfork(None, None, Some(after_fork));
        on_exit(at_exit, std::ptr::null_mut());
    }
    signals::install(before.config.under_run);
    checks::begin();
    queues::begin(before.config.queues, checks::are_operations_known(), rank, size);
    mode::start(abi, Said { has_special_rules: checks::has_special_rules, forced: forced::of });
}

/// The world model is there: MPI_Init, called at `entered` (ticks), has returned.
pub(crate) fn world_begins(abi: &'static Abi, entered: u64) {
    let Some(real) = real::library() else { return };
    sessions::world_begins(abi, real);
    if let Some(parent) = parent(abi) {
        define::parent(abi, parent, entered);
    }
    errors::handlers::install(real, abi);
}

/// MPI_Session_init has returned, and recording goes on already.
pub(crate) fn session_begins(abi: &'static Abi, words: &Words) {
    if let (Some(real), Some(session)) = (real::library(), sessions::made(abi, words)) {
        sessions::begins(abi, real, session);
    }
}

/// Called before the library's MPI_Session_finalize with the address of a session.
pub(crate) fn before_session_finalize(abi: &'static Abi, address: u64) {
    if let (Some(real), Some(session)) = (real::library(), sessions::handle_at(abi, address)) {
        sessions::ends(abi, real, session);
    }
}

/// The intercommunicator to those who spawned this process.
fn parent(abi: &Abi) -> Option<u64> {
    let parent = define::handle_out(abi, Kind::Comm, FnId::MPI_Comm_get_parent, &[])?;
    (handles::lookup(Kind::Comm, parent) != trace_format::definition::NULL_ID).then_some(parent)
}

/// Opens the trace file; true if it has the plain name of its rank. `stages`: where stages shall be.
fn open(dir: &Path, stages: Option<&Path>, header: &mut RankHeader) -> io::Result<bool> {
    private::make_dir(dir)?;
    let plain = rank_stem(header.rank);
    let claimed = if header.launch.spawned { None } else { claim(dir, &plain)? };
    let is_plain = claimed.is_some();
    let (mut file, stem) = match claimed {
        Some(file) => (file, plain),
        None => {
            let stem = other_stem(header.rank, &header.host, header.pid);
            _ = std::fs::remove_file(trace_path(dir, &stem));
            (create(dir, &stem)?, stem)
        }
    };
    // Stages and segments of an earlier run in the same directory must not be taken for this one's.
    for place in 0..SEGMENTS {
        _ = std::fs::remove_file(segment_path(dir, &stem, place));
    }
    for number in 0..=u16::MAX {
        if std::fs::remove_file(stage_path_of(dir, &stem, number)).is_err() {
            break;
        }
    }
    let variable = |name: &str| environment::var(name).ok();
    if let Some(own) = stage_place::make(stages, dir, header, || launch::is_one_node(header.size, variable)) {
        header.stage_dir = own.display().to_string();
    }
    let head = trace_format::writer::file_header(header);
    file.write_all(&head)?;
    let set = trace::set(file, dir, header, &stem, (head.len() - RATE_BYTES) as u64);
    if let (Err(_), Some(own)) = (&set, header.apart()) {
        _ = std::fs::remove_dir(own);
    }
    set.map(|()| is_plain)
}

fn create(dir: &Path, stem: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).custom_flags(libc::O_CLOEXEC);
    private::create_new(&trace_path(dir, stem), &mut options)
}

/// How long a trace file may have no header because its process is just writing it, in tries of 1 ms.
const TRIES: u32 = 20;

/// Makes the trace file with the plain name, in the place of one that an earlier run has left. `None`: the name belongs
/// to a process of another world that lives, or that has ended in this run.
fn claim(dir: &Path, stem: &str) -> io::Result<Option<File>> {
    for attempt in 0.. {
        match create(dir, stem) {
            // `mpivet run` gives every run a directory of its own: an earlier job of the same script has left the file.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && Config::from_environment().under_run => {
                return Ok(None);
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(Some),
        }
        match Head::open(dir, stem).map(|head| head.header) {
            Ok(h) if h.host == launch::host() && launch::process_start(h.pid) == Some(h.pid_start) => return Ok(None),
            Err(OpenError::BadHeader { .. }) if attempt < TRIES => std::thread::sleep(Duration::from_millis(1)),
            _ => std::fs::remove_file(trace_path(dir, stem))?,
        }
    }
    Ok(None)
}

/// May several threads call MPI at once? What a session provides cannot be asked for.
fn may_have_threads(abi: &Abi, class: Class) -> bool {
    let mut provided = 0i32;
    if class == Class::SessionInit || real::call(FnId::MPI_Query_thread, &[&raw mut provided as u64]) != Some(0) {
        return true;
    }
    abi.thread_level(provided) == Some(ThreadLevel::Multiple)
}

/// The threads of this process.
fn threads() -> BTreeSet<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.filter_map(|t| t.file_name().to_str()?.parse().ok()).collect()
}

/// Writes `job.json`, whole or not at all.
fn job(
    real: &Real,
    abi: &Abi,
    config: &Config,
    header: &RankHeader,
    (buffering, variables, warning): (Option<Buffering>, Option<Variables>, Option<String>),
) {
    let (mut major, mut minor) = (0i32, 0i32);
    real::call(FnId::MPI_Get_version, &[&raw mut major as u64, &raw mut minor as u64]);
    let identity = real::identity();
    let job = Job {
        format: VERSION,
        mpivet: header.mpivet.clone(),
        program: header.program.clone(),
        arguments: arguments(),
        cwd: header.cwd.clone(),
        ranks: header.size,
        host: header.host.clone(),
        mpi: Mpi {
            family: abi.name.to_owned(),
            library: identity.library.clone(),
            standard: format!("{major}.{minor}"),
            path: real.path.clone(),
            device: identity.device.clone(),
        },
        constants: abi.constants().map(|(n, v)| (n.to_owned(), v)).collect(),
        options: config.named(),
        variables,
        tag_ub: None,
        buffering,
        warning,
    };
    let Some(trace) = trace::get() else { return };
    if let Err(e) = trace_format::job::write(job, &trace.dir) {
        log::line(&format!("cannot write {}: {e}", job_path(&trace.dir).display()));
    }
}

/// Called before the library's MPI_Finalize.
pub(crate) fn before_finalize(abi: &Abi) {
    if let Some(real) = real::library() {
        sessions::world_ends(abi, real);
        tool::sampling::end();
    }
}

extern "C" fn after_fork() {
    mode::set_mode(Mode::Off);
    trace::detach();
}

unsafe extern "C" {
    fn on_exit(f: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
}

/// The process ends by exit(3), and not from within a signal handler, which may have interrupted this library or the
/// heap at any place: nothing that locks or allocates may be done there.
static ENDS_IN_ORDER: AtomicBool = AtomicBool::new(false);

/// The end of the process, before the functions that the program had registered when MPI began.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if !owner::is_this() {
        return;
    }
    let has_left = || thread::existing().is_some_and(|thread| thread.with(|thread| interrupted::has_left(thread)));
    if !in_handler::in_handler() && !stop::has_a_thread_left() && !has_left() {
        ENDS_IN_ORDER.store(true, Ordering::SeqCst);
        at_the_end(errors::before_end);
    }
    signals::record_exit(status);
}

/// Behind functions registered with atexit(3) and destructors of C++, which may still free what outlives MPI.
extern "C" fn at_last() {
    if owner::is_this() && ENDS_IN_ORDER.load(Ordering::SeqCst) {
        at_the_end(|thread| {
            if mode::is_recording() && !trace::is_lost() {
                checks::at_exit(thread);
            }
            if let (Some(trace), Some(rate)) = (trace::get(), clock::ticks_per_second_so_far()) {
                trace.correct_rate(rate);
            }
            // What is called behind this is written to memory that nobody reads any more.
            if thread.stage.empty() && !trace::is_lost() {
                threads::remove_stages();
            }
        });
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_LAST: extern "C" fn() = at_last;

/// Does something with the state of the thread that ends the process, and empties its stage.
fn at_the_end(what: impl FnOnce(&mut thread::Thread)) {
    mode::guarded(|| {
        if let Some(thread) = thread::existing() {
            thread.with(|thread| {
                what(thread);
                thread.stage.empty();
            });
        }
    });
}
