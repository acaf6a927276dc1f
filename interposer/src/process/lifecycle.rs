//! When recording begins and ends. Nothing happens before MPI_Init or MPI_Session_init: launchers, shells and helper processes
//! load this library too. After fork the child is silent.

use crate::call::info::Said;
use crate::call::mode::{self, INTERNAL_ERROR, Mode};
use crate::call::sites;
use crate::debuggers::queues;
use crate::job::config::{self, Config};
use crate::job::launch;
use crate::job::place::{cwd, directory, is_shared, program, tell_that_it_is_not_shared};
use crate::mpi::abi::Abi;
use crate::mpi::library::{self, MpiLibrary};
use crate::mpi::sessions;
use crate::mpi::words::{Words, ask};
use crate::mpi::{define, handles};
use crate::precise;
use crate::process::{
    agent, altered, buffer_limit, end, errors, foreign_launcher, job_file, signals, trace_file, worlds,
};
use crate::state::slow_path::PRECISE;
use crate::state::thread;
use crate::state::user_threads::{OTHER_STACK, OTHER_THREAD};
use crate::tool;
use crate::watch::annotations;
use crate::watch::calls;
use crate::watch::early;
use recorder::{clock, descriptor, environment, log, owner, slow_path, stop, trace};
use std::collections::BTreeSet;
use trace_format::catalogue::ACCESS_IN_FLIGHT;
use trace_format::file::{Launch, RankHeader, STAGE_BYTES};
use trace_format::mpi::{Class, FnId, Kind, Rows, ThreadLevel};
use trace_format::run::job::Job;
use trace_format::run::proc;

/// The facts from before MPI_Init.
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
    descriptor::make_room();
    agent::start(&config);
    clock::choose();
    let settings = tool::apply(&config);
    Some(Before { config, clock: clock::Reading::take(), launch: launch::launch(), threads: threads(), settings })
}

/// Called after a successful MPI_Init, or MPI_Session_init without one: opens the trace and starts recording. The call
/// itself is recorded later.
pub(crate) fn after_init(mut before: Before, class: Class, words: &Words) {
    let Some(library) = library::loaded() else { return };
    library.has_started(class == Class::SessionInit);
    let abi = library.abi();
    handles::learn_predefined(library);
    errors::handlers::learn(library);
    let by_session = if class == Class::SessionInit { sessions::made(abi, words) } else { None };
    let found = match by_session {
        Some(session) => sessions::rank_and_size(abi, session),
        None => library
            .predefined_handle(Kind::Comm, "MPI_COMM_WORLD")
            .map(|world| (ask(FnId::MPI_Comm_rank, world) as i32, ask(FnId::MPI_Comm_size, world) as i32)),
    };
    let Some((rank, size)) = found else { return };
    before.launch.spawned |= by_session.is_none() && worlds::parent(abi).is_some();
    // Before anything of this process may fail: others measure with it.
    let measures = before.config.probe_limits && class == Class::Init && !before.launch.spawned;
    let buffering = if measures { buffer_limit::measure(library, abi, rank, size) } else { None };
    let program = program();
    let dir = directory(&before.config, &program, before.launch.spawned);
    let is_known = is_shared(&before.config, &dir);
    let dir = if is_known { agent::place(&before.config, dir) } else { dir };
    if let (Some(sampling), Class::Init) = (&before.config.sampling, class) {
        tool::sampling::begin(library, sampling, rank);
    }
    altered::prepare(&before.config, &program, rank, size, before.launch.spawned);
    let ticks_per_second = before.clock.ticks_per_second();
    let (start_ticks, start_unix_ns) = clock::now_and_unix_ns();
    let mut header = RankHeader {
        mpivet: env!("CARGO_PKG_VERSION").to_owned(),
        rows: Rows::all(),
        rank,
        size,
        pid: std::process::id(),
        pid_start: proc::start(std::process::id()).unwrap_or(0),
        host: proc::host(),
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
        retention: before.config.retention,
    };
    let plain = match trace_file::open(&dir, before.config.stage_dir.as_deref(), &mut header) {
        Ok(plain) => plain,
        Err(e) => {
            log::line(&format!("rank {rank}: cannot record to {}: {e}; the program runs unchecked", dir.display()));
            return mode::set_mode(Mode::Off);
        }
    };
    if !is_known && !agent::forwards() {
        tell_that_it_is_not_shared(&before.config, &dir);
    }
    stop::prepare(&[INTERNAL_ERROR, OTHER_STACK, OTHER_THREAD]);
    owner::claim();
    early::is_recorded();
    if rank == 0 && plain && !before.config.under_run {
        early::forget_others(&dir);
    }
    thread::prepare(&before.config, annotations::thread_ended);
    define::world(rank, size);
    if let Some(trace) = trace::get() {
        trace.define(&sites::new_modules(&[after_init as *const () as u64]));
    }
    let warning = stranger(size, class);
    let describe = || job_file::describe(library, abi, &before.config, &header, (buffering, warning));
    if rank == 0 && plain {
        write_job(library, &before.config, before.settings, describe());
        if !before.config.under_run {
            log::line(&format!("recording to {0}; for the report run: mpivet analyze {0}", dir.display()));
        }
    } else if plain {
        job_file::write_early(describe);
    }
    end::watch();
    signals::install(before.config.under_run);
    calls::begin();
    if calls::are_operations_known() && config::selection().is_on(&ACCESS_IN_FLIGHT) && precise::begin(rank == 0) {
        slow_path::set(PRECISE, true);
    }
    queues::begin(before.config.queues, calls::are_operations_known(), rank, size);
    mode::start(abi, Said { has_special_rules: calls::has_special_rules, altered: altered::of });
}

/// Says that the launcher is that of another MPI, if it is. What is to be said in the report.
fn stranger(size: i32, class: Class) -> Option<String> {
    let variable = |name: &str| environment::var(name).ok();
    let is_alone = size == 1 && class == Class::Init;
    let stranger = is_alone.then(|| foreign_launcher::of(library::identity(), variable)).flatten()?;
    if stranger.is_first {
        log::line(&stranger.text);
    }
    Some(stranger.text)
}

/// Writes down what the job is, then the variables of the library.
fn write_job(library: &'static MpiLibrary, config: &Config, settings: tool::Settings, job: Job) {
    // Reading the variables takes some libraries long; by then another rank may have ended the job.
    job_file::write(job);
    let (values, was_used) = (settings.values, settings.was_used);
    // Gives the reference on the tool interface back, which must not be held while variables are read.
    let wishes = settings.took_effect();
    let mut variables = if config.variables { tool::variables(library, values, was_used) } else { None };
    wishes.iter().filter(|w| w.refused.is_some()).for_each(|w| log::line(&w.text()));
    if !wishes.is_empty() {
        variables.get_or_insert_default().wishes = wishes;
    }
    if let Some(variables) = variables {
        job_file::write_variables(&variables, config.under_run);
    }
}

/// May several threads call MPI at once? What a session provides cannot be asked for.
fn may_have_threads(abi: &Abi, class: Class) -> bool {
    let mut provided = 0i32;
    if class == Class::SessionInit || library::call(FnId::MPI_Query_thread, &[&raw mut provided as u64]) != Some(0) {
        return true;
    }
    abi.thread_level(provided) == Some(ThreadLevel::Multiple)
}

/// The threads of this process.
fn threads() -> BTreeSet<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks.filter_map(|t| t.file_name().to_str()?.parse().ok()).collect()
}
