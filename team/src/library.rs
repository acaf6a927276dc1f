//! The MPI library of the launcher that has started this process: loaded at run time, so that none is needed to build mpivet, and
//! that one binary runs under each. The few functions that messages between the processes of an analysis take.

use crate::JoinError;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::FromRawFd as _;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::time::Duration;

/// A handle as the library passes it: an address (Open MPI), or a number in the lower half (all others).
type Handle = usize;

/// MPI_COMM_WORLD and MPI_BYTE.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Handles {
    world: Handle,
    byte: Handle,
}

/// MPICH and its relatives.
const MPICH: Handles = Handles { world: 0x4400_0000, byte: 0x4c00_010d };
/// The ABI of MPI 5 (MPI 5.0, 20.3).
const STANDARD: Handles = Handles { world: 0x101, byte: 0x247 };

/// Larger than the status of any library.
type Status = [u64; 16];

/// A request as wide as the widest is.
type Request = usize;

type Init = unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int;
type Ask = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type Send = unsafe extern "C" fn(*const u8, c_int, Handle, c_int, c_int, Handle, *mut Request) -> c_int;
type Test = unsafe extern "C" fn(*mut Request, *mut c_int, *mut Status) -> c_int;
type Receive = unsafe extern "C" fn(*mut u8, c_int, Handle, c_int, c_int, Handle, *mut Status) -> c_int;
type Probe = unsafe extern "C" fn(c_int, c_int, Handle, *mut c_int, *mut Status) -> c_int;
type Finalize = unsafe extern "C" fn() -> c_int;

/// A library in which MPI has started, on this thread.
pub(crate) struct Mpi {
    handles: Handles,
    send: Send,
    test: Test,
    receive: Receive,
    probe: Probe,
    finalize: Finalize,
    /// MPI_Finalize of MPICH 4.0 with UCX seldom returns if processes are on several nodes and speak by TCP, in any program: those
    /// who wait for the launcher no longer answer those who still close their connections.
    may_hang_at_end: bool,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    /// Unloading an MPI library is not safe.
    _library: std::mem::ManuallyDrop<Library>,
}

const FUNNELED: c_int = 1;

impl Mpi {
    /// Loads the library and starts MPI, as long as the other processes of the launcher do so.
    pub(crate) fn start(launcher: Launcher) -> Result<Mpi, JoinError> {
        let (library, handles) = load(launcher)?;
        let missing = |name: &'static str| move |_| JoinError::Lacks(name);
        macro_rules! function {
            ($name:literal, $kind:ty) => {{
                // SAFETY: the type is that of the function in the standard, with handles as wide as the widest are.
                *unsafe { library.get::<$kind>(concat!($name, "\0").as_bytes()) }.map_err(missing($name))?
            }};
        }
        let init = function!("MPI_Init_thread", Init);
        let (rank, size) = (function!("MPI_Comm_rank", Ask), function!("MPI_Comm_size", Ask));
        // SAFETY: only the address is taken.
        let uses_ucx = unsafe { library.get::<*mut c_void>(b"ucp_worker_create\0") }.is_ok();
        let mut mpi = Mpi {
            may_hang_at_end: uses_ucx && handles == MPICH,
            handles,
            send: function!("MPI_Isend", Send),
            test: function!("MPI_Test", Test),
            receive: function!("MPI_Recv", Receive),
            probe: function!("MPI_Iprobe", Probe),
            finalize: function!("MPI_Finalize", Finalize),
            rank: 0,
            size: 0,
            _library: std::mem::ManuallyDrop::new(library),
        };
        let (mut provided, mut number) = (0, 0);
        // Errors end the processes: that is what MPI_COMM_WORLD does with them at the start (MPI 4.1, 9.3).
        // SAFETY: no arguments are given (MPI 4.1, 11.2.1), and the other pointers are those of live variables.
        unsafe {
            init(null_mut(), null_mut(), FUNNELED, &raw mut provided);
            rank(handles.world, &raw mut number);
            mpi.rank = usize::try_from(number).unwrap_or(0);
            size(handles.world, &raw mut number);
        }
        mpi.size = usize::try_from(number).unwrap_or(1);
        Ok(mpi)
    }

    /// Sends bytes to a process, of which there are at most [`c_int::MAX`].
    pub(crate) fn send(&self, bytes: &[u8], to: usize) {
        let (count, to) = (bytes.len() as c_int, to as c_int);
        let (mut request, mut is_over, mut status): (Request, c_int, Status) = (0, 0, [0; 16]);
        // SAFETY: the pointer and length are those of a slice that lives until the send is over, and the others those of variables.
        unsafe { (self.send)(bytes.as_ptr(), count, self.handles.byte, to, TAG, self.handles.world, &raw mut request) };
        // Libraries wait by looking again and again, which takes the processor from those who have work.
        let mut rest = Rest::default();
        loop {
            // SAFETY: the request is one that was started and is not over.
            unsafe { (self.test)(&raw mut request, &raw mut is_over, &raw mut status) };
            if is_over != 0 {
                return;
            }
            rest.take();
        }
    }

    /// Waits until there is a message of this process.
    pub(crate) fn wait_for(&self, from: usize) {
        let mut rest = Rest::default();
        while !self.has_message(from) {
            rest.take();
        }
    }

    /// Receives bytes from a process, as many as there is room for at most.
    pub(crate) fn receive(&self, bytes: &mut [u8], from: usize) {
        let (count, from) = (bytes.len() as c_int, from as c_int);
        let mut status: Status = [0; 16];
        let (place, status) = (bytes.as_mut_ptr(), &raw mut status);
        // SAFETY: as in `send`; the status has room for that of any library.
        unsafe { (self.receive)(place, count, self.handles.byte, from, TAG, self.handles.world, status) };
    }

    /// Is there a message of this process?
    pub(crate) fn has_message(&self, from: usize) -> bool {
        let (mut flag, mut status): (c_int, Status) = (0, [0; 16]);
        // SAFETY: as in `receive`.
        unsafe { (self.probe)(from as c_int, TAG, self.handles.world, &raw mut flag, &raw mut status) };
        flag != 0
    }

    /// Ends MPI, as all processes do. The first one says whether they are on several nodes.
    pub(crate) fn end(self, is_over_nodes: bool) {
        if self.may_hang_at_end && self.agree(is_over_nodes) {
            take_leave();
            return;
        }
        // SAFETY: it was started on this thread, and nothing is under way.
        unsafe { (self.finalize)() };
    }

    /// Tells all what the first process says; others have heard it when they answer.
    fn agree(&self, is_so: bool) -> bool {
        let hear = |from| {
            let mut said = [0];
            self.wait_for(from);
            self.receive(&mut said, from);
            said != [0]
        };
        if self.rank > 0 {
            let is_so = hear(0);
            self.send(&[0], 0);
            return is_so;
        }
        (1..self.size).for_each(|other| self.send(&[u8::from(is_so)], other));
        (1..self.size).for_each(|other| _ = hear(other));
        is_so
    }
}

/// Ends the connection to a launcher of MPICH's kind: it takes a process that ends without that for one that has crashed. Slurm
/// needs nothing of the kind.
fn take_leave() {
    let fd = std::env::var("PMI_FD").ok().and_then(|fd| fd.parse().ok());
    let Some(fd) = fd.filter(|_| parent().is_some_and(|name| name.starts_with("hydra_"))) else { return };
    // SAFETY: MPI has opened it for this, uses it no more, and it is not closed here.
    let mut launcher = std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
    // Where it cannot be told, it says itself what it thinks of that.
    _ = launcher.write_all(b"cmd=finalize\n");
    _ = BufReader::new(&*launcher).skip_until(b'\n');
}

/// Pauses between looks, each of which is longer.
pub(crate) struct Rest(Duration);

impl Default for Rest {
    fn default() -> Rest {
        Rest(Duration::from_micros(5))
    }
}

impl Rest {
    pub(crate) fn take(&mut self) {
        std::thread::sleep(self.0);
        self.0 = (self.0 * 2).min(Duration::from_millis(1));
    }
}

const TAG: c_int = 17;

/// A family of launchers, by the variable that says how many processes it has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launcher {
    size: &'static str,
    rank: &'static str,
    /// Names of the libraries that it starts programs of, the likely ones first.
    libraries: &'static [&'static str],
}

const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi.so"];
const OTHERS: &[&str] = &["libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.0", "libmpi_abi.so.1", "libmpi.so"];
const ANY: &[&str] =
    &["libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.0", "libmpi_abi.so.1", "libmpi.so"];

/// The first one whose variable is there counts. A launcher of MPI in an allocation of Slurm lets `srun` start processes that start
/// those of the job, so that variables of Slurm are about others there; with PMIx, `srun` itself gives no others.
const LAUNCHERS: [Launcher; 3] = [
    Launcher { size: "OMPI_COMM_WORLD_SIZE", rank: "OMPI_COMM_WORLD_RANK", libraries: OPEN_MPI },
    Launcher { size: "PMI_SIZE", rank: "PMI_RANK", libraries: OTHERS },
    Launcher { size: "SLURM_STEP_NUM_TASKS", rank: "SLURM_PROCID", libraries: ANY },
];

impl Launcher {
    /// The launcher that has started this process and others, with the rank that it gave it. The variables are also seen by
    /// programs that a process of the launcher has started: these are not processes of the job, and must not join it.
    pub(crate) fn of_this() -> Option<(Launcher, usize)> {
        if std::env::var_os(NAMED).is_none() && !is_child_of_launcher() {
            return None;
        }
        Launcher::among(|name| std::env::var(name).ok()?.parse().ok())
    }

    /// By what these variables say.
    fn among(variable: impl Fn(&str) -> Option<usize>) -> Option<(Launcher, usize)> {
        let size = |launcher: &Launcher| variable(launcher.size);
        let launcher = LAUNCHERS.into_iter().find(|launcher| size(launcher).is_some())?;
        (size(&launcher)? > 1).then(|| (launcher, variable(launcher.rank).unwrap_or(0)))
    }
}

/// Programs that start the processes of a job, by what their names begin with.
const STARTERS: [&str; 9] = ["hydra_", "pmi_proxy", "orte", "prte", "prun", "mpirun", "mpiexec", "slurmstepd", "palsd"];

fn is_child_of_launcher() -> bool {
    parent().is_some_and(|name| STARTERS.iter().any(|starter| name.starts_with(starter)))
}

/// The name of the program that has started this process.
fn parent() -> Option<String> {
    let parent = nix::unistd::getppid();
    let program = std::fs::read_link(format!("/proc/{parent}/exe")).ok();
    // The program of another user is not told; its name is.
    match program.as_deref().and_then(Path::file_name) {
        Some(name) => Some(name.to_string_lossy().into_owned()),
        None => std::fs::read_to_string(format!("/proc/{parent}/comm")).ok(),
    }
}

/// The path of the library, where the user says it.
const NAMED: &str = "MPIVET_MPI";

fn load(launcher: Launcher) -> Result<(Library, Handles), JoinError> {
    if let Some(path) = std::env::var_os(NAMED) {
        return open(path.as_ref()).map_err(|e| JoinError::Named(path.into(), e.to_string()));
    }
    let beside = directories_of_launchers().into_iter().flat_map(|dir| {
        let there = launcher.libraries.iter().map(move |name| dir.join(name));
        there.filter(|path| path.exists()).collect::<Vec<PathBuf>>()
    });
    let anywhere = launcher.libraries.iter().map(PathBuf::from);
    let mut why = None;
    for path in beside.chain(anywhere) {
        match open(&path) {
            Ok(opened) => return Ok(opened),
            Err(e) => why = why.or(Some(e.to_string())),
        }
    }
    Err(JoinError::NoLibrary(why.unwrap_or_default()))
}

fn open(path: &Path) -> Result<(Library, Handles), libloading::Error> {
    // Components of Open MPI look the library's symbols up among those of all.
    // SAFETY: constructors of an MPI library run, as in each program that is linked with it.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }?;
    let address = |name: &[u8]| {
        // SAFETY: only the address is taken.
        unsafe { library.get::<*mut c_void>(name) }.ok().map(|symbol| symbol.as_raw_ptr() as Handle)
    };
    let handles = match (address(b"ompi_mpi_comm_world\0"), address(b"ompi_mpi_byte\0")) {
        (Some(world), Some(byte)) => Handles { world, byte },
        _ if path.to_string_lossy().contains("libmpi_abi") => STANDARD,
        _ => MPICH,
    };
    Ok((library, handles))
}

/// Where the libraries of the launcher may be: beside the directories of the programs that this process descends from.
fn directories_of_launchers() -> Vec<PathBuf> {
    let mut directories = Vec::new();
    let mut process = nix::unistd::getppid().as_raw();
    for _ in 0..MOST_ANCESTORS {
        if process <= 1 {
            break;
        }
        if let Ok(program) = std::fs::read_link(format!("/proc/{process}/exe"))
            && let Some(prefix) = program.parent().and_then(Path::parent)
            && !prefix.ends_with("usr")
        {
            directories.extend(["lib", "lib64", "lib/release"].map(|name| prefix.join(name)));
        }
        let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else { break };
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        process = parent.and_then(|parent| parent.trim().parse().ok()).unwrap_or(0);
    }
    directories
}

const MOST_ANCESTORS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_started_this_process_counts() {
        let rank = |set: &[(&str, usize)]| {
            let value = |name: &str| set.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
            Launcher::among(value).map(|(launcher, rank)| (launcher.rank, rank))
        };
        let step = [("SLURM_STEP_NUM_TASKS", 3), ("SLURM_PROCID", 2)];
        assert_eq!(rank(&step), Some(("SLURM_PROCID", 2)));
        assert_eq!(rank(&[&step[..], &[("PMI_SIZE", 4), ("PMI_RANK", 1)]].concat()), Some(("PMI_RANK", 1)));
        assert_eq!(rank(&[&step[..], &[("PMI_SIZE", 1), ("PMI_RANK", 0)]].concat()), None);
        assert_eq!(rank(&[&step[..], &[("OMPI_COMM_WORLD_SIZE", 1)]].concat()), None);
        assert_eq!(rank(&[("SLURM_STEP_NUM_TASKS", 1), ("SLURM_PROCID", 0)]), None);
        assert_eq!(rank(&[]), None);
    }
}
