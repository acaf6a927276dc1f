//! When recording begins and ends. Nothing happens before MPI_Init: launchers, shells and helper processes load this
//! library too. After fork the child is silent.

use crate::abi::Abi;
use crate::config::Config;
use crate::dispatch::{self, Mode};
use crate::encode::ask;
use crate::real::{self, Real};
use crate::{clock, define, errors, handles, log, signals, sites, thread, trace};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use trace_format::file::{RankHeader, STAGE_BYTES, VERSION, job_path, rank_path};
use trace_format::job::{Job, Mpi};
use trace_format::mpi::{FnId, Kind, table_hash};

/// The process that records; a forked child is another.
static PID: AtomicU32 = AtomicU32::new(0);

/// What is known before MPI_Init.
pub(crate) struct Before {
    config: Config,
    clock: clock::Reading,
}

/// Called before the library's MPI_Init. `None` if nothing is to be recorded.
pub(crate) fn before_init() -> Option<Before> {
    std::panic::set_hook(Box::new(|info| log::line(&format!("internal error: {info}"))));
    let config = Config::from_environment();
    if config.disabled {
        dispatch::set_mode(Mode::Off);
        return None;
    }
    clock::choose();
    Some(Before { config, clock: clock::Reading::take() })
}

/// Called after a successful MPI_Init: opens the trace and starts recording.
pub(crate) fn after_init(before: Before) {
    let Some(real) = real::library() else { return };
    real.tell_drafts();
    let abi = Abi::of(real.family());
    handles::learn_predefined(real);
    let Some(world) = handles::predefined_handle(real, Kind::Comm, "MPI_COMM_WORLD") else { return };
    let rank = ask(FnId::MPI_Comm_rank, world) as i32;
    let size = ask(FnId::MPI_Comm_size, world) as i32;
    let program = program();
    let dir = directory(&before.config, &program);
    let header = RankHeader {
        mpivet: env!("CARGO_PKG_VERSION").to_owned(),
        table_hash: table_hash(),
        rank,
        size,
        pid: std::process::id(),
        pid_start: process_start(),
        host: host(),
        ticks_per_second: before.clock.ticks_per_second(),
        start_ticks: clock::now(),
        start_unix_ns: clock::unix_ns(),
        request_stride: abi.handle_bytes(Kind::Request) as u32,
        stage_bytes: STAGE_BYTES as u32,
        stack_depth: before.config.stack_depth as u32,
        program: program.clone(),
        cwd: cwd(),
    };
    if let Err(e) = open(&dir, &header, is_spawned(abi)) {
        log::line(&format!("rank {rank}: cannot record to {}: {e}; the program runs unchecked", dir.display()));
        return dispatch::set_mode(Mode::Off);
    }
    PID.store(std::process::id(), Ordering::SeqCst);
    thread::prepare(&before.config);
    define::world(abi, world, rank, size);
    if let Some(trace) = trace::get() {
        trace.define(&sites::new_modules(&[after_init as *const () as u64]));
    }
    if rank == 0 {
        job(real, abi, &before.config, &header);
        if !before.config.under_run {
            log::line(&format!("recording to {0}; for the report run: mpivet analyze {0}", dir.display()));
        }
    }
    errors::install(real, abi);
    // SAFETY: the handlers have the right types and live as long as the process: this library is never unloaded.
    unsafe {
        libc::pthread_atfork(None, None, Some(after_fork));
        on_exit(at_exit, std::ptr::null_mut());
    }
    signals::install();
    dispatch::start(abi);
}

fn is_spawned(abi: &Abi) -> bool {
    let parent = define::handle_out(abi, Kind::Comm, FnId::MPI_Comm_get_parent, &[]);
    parent.is_some_and(|p| handles::lookup(Kind::Comm, p) != trace_format::definition::NULL_ID)
}

fn open(dir: &Path, header: &RankHeader, spawned: bool) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    // Ranks of another world get names of their own: they are recorded, and matched in a later version.
    let (dir, path) = if spawned {
        let dir = dir.join(format!("spawned-{}", header.pid));
        std::fs::create_dir_all(&dir)?;
        let path = rank_path(&dir, header.rank);
        (dir, path)
    } else {
        (dir.to_owned(), rank_path(dir, header.rank))
    };
    // Stages of an earlier run in the same directory must not be taken for this one's.
    for number in 0..=u16::MAX {
        if std::fs::remove_file(trace_format::file::stage_path(&dir, header.rank, number)).is_err() {
            break;
        }
    }
    _ = std::fs::remove_file(&path);
    let mut file: File =
        OpenOptions::new().append(true).create_new(true).mode(0o644).custom_flags(libc::O_CLOEXEC).open(&path)?;
    file.write_all(&trace_format::writer::file_header(header))?;
    trace::set(file, &dir, header.rank);
    Ok(())
}

/// `MPIVET_DIR`, or a name that all ranks of the job work out alike.
fn directory(config: &Config, program: &str) -> PathBuf {
    if let Some(dir) = &config.dir {
        return dir.clone();
    }
    let job = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"].iter().find_map(|v| std::env::var(v).ok());
    let id = job.unwrap_or_else(|| launcher_pid().to_string());
    let base = program.rsplit('/').next().unwrap_or("program");
    Path::new(&cwd()).join(format!("mpivet-{base}-{id}"))
}

/// Process id of the nearest ancestor that starts ranks, or this process's own if there is none.
fn launcher_pid() -> u32 {
    const LAUNCHERS: [&str; 9] =
        ["hydra_pmi_proxy", "orted", "orterun", "prted", "prterun", "mpiexec", "mpirun", "slurmstepd", "hydra_bstrap"];
    let mut pid = std::process::id();
    for _ in 0..16 {
        let Some((name, parent)) = process(pid) else { break };
        if LAUNCHERS.iter().any(|l| name.starts_with(&l[..l.len().min(15)])) {
            return pid;
        }
        pid = parent;
    }
    std::process::id()
}

/// Name and parent of a process.
fn process(pid: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let parent = tail.split_whitespace().nth(1)?.parse().ok()?;
    Some((name, parent))
}

/// Start time of this process in clock ticks since boot.
fn process_start() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let tail = stat.rsplit_once(')').map_or("", |s| s.1);
    tail.split_whitespace().nth(19).and_then(|s| s.parse().ok()).unwrap_or(0)
}

fn program() -> String {
    std::fs::read_link("/proc/self/exe").map(|p| p.to_string_lossy().into_owned()).unwrap_or_default()
}

fn cwd() -> String {
    std::env::current_dir().map(|p| p.to_string_lossy().into_owned()).unwrap_or_else(|_| ".".to_owned())
}

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").map(|h| h.trim().to_owned()).unwrap_or_default()
}

/// Writes `job.json`, whole or not at all.
fn job(real: &Real, abi: &Abi, config: &Config, header: &RankHeader) {
    let (mut major, mut minor) = (0i32, 0i32);
    real::call(FnId::MPI_Get_version, &[&raw mut major as u64, &raw mut minor as u64]);
    let library = real::text(FnId::MPI_Get_library_version, None, abi.max_library_version);
    let arguments = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments: Vec<String> =
        arguments.split(|b| *b == 0).skip(1).map(|a| String::from_utf8_lossy(a).into_owned()).collect();
    let job = Job {
        format: VERSION,
        mpivet: header.mpivet.clone(),
        program: header.program.clone(),
        arguments: arguments.split_last().map(|(_, a)| a.to_vec()).unwrap_or_default(),
        cwd: header.cwd.clone(),
        ranks: header.size,
        host: header.host.clone(),
        mpi: Mpi {
            family: abi.name.to_owned(),
            library: library.lines().next().unwrap_or("").trim().to_owned(),
            standard: format!("{major}.{minor}"),
            path: real.path.clone(),
        },
        constants: abi.constants().map(|(n, v)| (n.to_owned(), v)).collect(),
        options: BTreeMap::from([("MPIVET_STACK_DEPTH".to_owned(), config.stack_depth.to_string())]),
        control_variables: BTreeMap::new(),
        tag_ub: None,
    };
    let Some(trace) = trace::get() else { return };
    let path = job_path(&trace.dir);
    let temporary = path.with_extension("json.new");
    let written = trace_format::job::write(&job, &temporary).and_then(|()| std::fs::rename(&temporary, &path));
    if let Err(e) = written {
        log::line(&format!("cannot write {}: {e}", path.display()));
    }
}

/// Called before the library's MPI_Finalize.
pub(crate) fn before_finalize(abi: &Abi) {
    define::release(abi);
}

extern "C" fn after_fork() {
    dispatch::set_mode(Mode::Off);
    trace::detach();
}

unsafe extern "C" {
    fn on_exit(f: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if PID.load(Ordering::SeqCst) != std::process::id() {
        return;
    }
    dispatch::guarded(|| {
        if let Some(thread) = thread::existing() {
            // SAFETY: the pointer is this thread's own state; the process is ending on this thread.
            unsafe { (*thread).stage.empty() };
        }
        signals::record_exit(status);
    });
}
