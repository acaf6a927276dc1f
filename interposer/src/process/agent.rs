//! The agent of this node (crate `agents`): the first process of a job that comes here starts it, before MPI begins, and forgets
//! it. It is no child of the process: the program sees no signal of it, and waits for it by no wait(2).

use crate::job::config::{self, Config};
use recorder::{environment, stage_place};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use trace_format::run::agent::{
    COMMAND, DIRECTORY, FIRST, FLUSH, HERE, HUB, IS_CONNECTED, IS_LATE, LOCK_DESCRIPTOR, NEEDED, PROGRAM, YES,
    node_dir, socket_name,
};
use trace_format::run::proc;

/// Time for what was recorded to reach `mpivet run`, when a process ends. It is needed where the batch system ends the agent
/// with the last process of the node.
const PATIENCE_MS: i32 = 5_000;

/// The address of the agent's socket, if this process may have an agent that forwards its trace.
static AGENT: OnceLock<Address> = OnceLock::new();

/// A socket's address, as the system takes it.
struct Address {
    address: libc::sockaddr_un,
    length: libc::socklen_t,
}

/// Starts the agent, if `mpivet run` is on another host and nobody has started one here.
pub(super) fn start(config: &Config) {
    let is_elsewhere = config::follower().as_ref().is_some_and(|root| root.host != proc::host());
    let variable = |name: &str| environment::var_os(name).filter(|value| !value.is_empty());
    let (Some(nonce), Some(program), true) = (&config.nonce, variable(PROGRAM), is_elsewhere) else { return };
    if variable(HUB).is_none() {
        return;
    }
    if let Some(address) = address(nonce) {
        _ = AGENT.set(address);
    }
    let Ok(name) = SocketAddr::from_abstract_name(socket_name(nonce)) else { return };
    let Some(lock) = lock_or_agent(&name) else { return };
    let mut environment: Vec<CString> =
        NEEDED.iter().filter_map(|name| entry(name, variable(name)?.as_bytes())).collect();
    let pid = std::process::id();
    let first = format!("{pid}.{}", proc::start(pid).unwrap_or(0));
    environment.extend(entry(FIRST, first.as_bytes()));
    let (Ok(program), Ok(command)) = (CString::new(program.as_bytes()), CString::new(COMMAND)) else { return };
    // Without an agent, files alone tell; `mpivet run` says what cannot be seen by that.
    _ = spawn(&program, &[&program, &command], &environment, lock.as_raw_fd());
}

/// The socket that makes this process the first one of its node. `None`: there is an agent, which knows of this process now.
fn lock_or_agent(name: &SocketAddr) -> Option<UnixListener> {
    /// An agent that is just going gives the name free within some milliseconds.
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        if let Ok(lock) = UnixListener::bind_addr(name) {
            return Some(lock);
        }
        if ask(HERE, PATIENCE_MS).is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

fn entry(name: &str, value: &[u8]) -> Option<CString> {
    CString::new([name.as_bytes(), b"=", value].concat()).ok()
}

fn address(nonce: &str) -> Option<Address> {
    // SAFETY: all zero is a valid value.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let name = socket_name(nonce);
    // The first byte is zero: the name is in no directory.
    let place = address.sun_path.get_mut(1..=name.len())?;
    place.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from as libc::c_char);
    let length = std::mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len();
    Some(Address { address, length: length as libc::socklen_t })
}

/// Starts a program that is no child of this process, with no file but `lock`.
fn spawn(program: &CStr, words: &[&CStr], environment: &[CString], lock: i32) -> io::Result<()> {
    let words: Vec<_> = words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect();
    let environment: Vec<_> = environment.iter().map(|entry| entry.as_ptr()).chain([std::ptr::null()]).collect();
    let mut all = NO_SIGNALS;
    let mut before = NO_SIGNALS;
    // SAFETY: two signal sets of this function. A handler of the program must not run in the process that is made here.
    unsafe {
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
    }
    // Without a signal at its end (the lowest byte of the flags): no handler of the program hears of it, no wait(2) finds it.
    // SAFETY: as fork(2); the new process calls only functions that are safe in signal handlers, and ends by _exit or execve.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) };
    if child == 0 {
        // SAFETY: as above; all pointers are to memory of which this process has a copy.
        unsafe {
            if libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) != 0 {
                libc::_exit(0);
            }
            begin(lock);
            libc::execve(program.as_ptr(), words.as_ptr(), environment.as_ptr());
            libc::_exit(127)
        }
    }
    // SAFETY: the mask as it was, and a process that is waited for.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        if child < 0 {
            return Err(io::Error::last_os_error());
        }
        while libc::waitpid(child as i32, std::ptr::null_mut(), libc::__WALL) < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
    Ok(())
}

/// The empty set.
// SAFETY: all zero is a valid value.
const NO_SIGNALS: libc::sigset_t = unsafe { std::mem::zeroed() };

/// Makes this process one that has nothing of the program: neither files nor directory, session or ignored signals. The launcher
/// would wait for whoever has its pipes.
///
/// # Safety
///
/// It is a process of its own, which has one thread and is about to execute a program.
unsafe fn begin(lock: i32) {
    // SAFETY: functions that are safe in signal handlers, with numbers and strings that end.
    unsafe {
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        // Out of the way of the numbers that are set here.
        let lock = libc::fcntl(lock, libc::F_DUPFD, LOCK_DESCRIPTOR + 1);
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for standard in 0..LOCK_DESCRIPTOR {
            libc::dup2(nothing, standard);
        }
        libc::dup2(lock, LOCK_DESCRIPTOR);
        if libc::syscall(libc::SYS_close_range, LOCK_DESCRIPTOR + 1, u32::MAX, 0) != 0 {
            (LOCK_DESCRIPTOR + 1..4096).for_each(|other| _ = libc::close(other));
        }
        // The agent ends by itself; what ends the job by a signal is to be told by it.
        for signal in 1..libc::SIGRTMIN() {
            libc::signal(signal, libc::SIG_DFL);
        }
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE, libc::SIGCONT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        let none = NO_SIGNALS;
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Asks the agent, and waits for its answer. It neither locks nor allocates. `None`: there is no agent, or it says nothing.
fn ask(question: u8, patience_ms: i32) -> Option<u8> {
    let Address { address, length } = AGENT.get()?;
    // SAFETY: a socket of this function, an address of the length that is given, and a byte to send and one to receive.
    unsafe {
        let socket = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return None;
        }
        let mut answer = 0u8;
        let is_there = libc::connect(socket, (&raw const *address).cast(), *length) == 0
            && libc::send(socket, (&raw const question).cast(), 1, libc::MSG_NOSIGNAL) == 1;
        let mut wait = libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 };
        let is_answered = is_there
            && libc::poll(&raw mut wait, 1, patience_ms) == 1
            && libc::recv(socket, (&raw mut answer).cast(), 1, 0) == 1;
        libc::close(socket);
        is_answered.then_some(answer)
    }
}

/// Has an agent found its way to `mpivet run`? Then it brings the trace of this process there.
pub(super) fn forwards() -> bool {
    let is_connected = ask(IS_CONNECTED, PATIENCE_MS) == Some(YES);
    FORWARDS.store(is_connected, Ordering::Relaxed);
    is_connected
}

/// Does `mpivet run`, or another node, see late what is stored to a mapped file there?
pub(super) fn is_seen_late(dir: &Path) -> bool {
    let is_common = || environment::var_os(DIRECTORY).is_some_and(|common| dir.starts_with(common));
    stage_place::is_late(dir) || environment::var_os(IS_LATE).is_some() && is_common()
}

/// Where the trace shall be that belongs into `dir`, which `mpivet run` sees: if it would see late what is recorded, or not at all
/// because stages are elsewhere, on the node, from where an agent brings it.
pub(super) fn place(config: &Config, dir: PathBuf) -> PathBuf {
    let (Some(nonce), Some(common)) = (&config.nonce, &config.dir) else { return dir };
    // A job of several may have none yet.
    if !(is_seen_late(common) || config.stage_dir.is_some()) || !forwards() {
        return dir;
    }
    let own = node_dir(nonce, config.stage_dir.as_deref());
    match dir.strip_prefix(common) {
        Ok(rest) if rest.as_os_str().is_empty() => own,
        Ok(rest) => own.join(rest),
        Err(_) => dir,
    }
}

/// Waits until what was recorded is with `mpivet run`, where an agent brings it there. Safe in a signal handler.
pub(super) fn flush() {
    if FORWARDS.load(Ordering::Relaxed) {
        ask(FLUSH, PATIENCE_MS);
    }
}

/// An agent brings the trace of this process to `mpivet run`.
static FORWARDS: AtomicBool = AtomicBool::new(false);
