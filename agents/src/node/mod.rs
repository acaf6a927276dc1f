//! The agent of a node. The first process of the job there has started it, and it ends with the last one, or when `mpivet run` is
//! gone: nothing is left of it.

mod alone;
mod budget;
mod files;
mod inquire;
mod link;
mod rest_copies;
mod stages;
mod start;

pub(crate) use link::{LOST_AFTER, connect, notice_loss};

use crate::ends::{End, EndWatch};
use crate::process::{Reading, others_wait_for_ever, read_process};
use crate::wire::channel::{Receiver, Sender};
use crate::wire::message::{FromAgent, ProcessId, ToAgent};
use crate::wire::token::Token;
use budget::Budget;
use files::Files;
use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, channel};
use std::time::{Duration, Instant, SystemTime};
use trace_format::run::agent::{FLUSH, HERE, IS_CONNECTED, NO, YES, node_dir, socket_name};
use trace_format::run::file_system::shared_of;
use trace_format::run::{nonce, proc};

/// Pause between two looks at the files.
const TICK: Duration = Duration::from_millis(20);
/// New files are looked for this often.
const SCAN_EVERY: Duration = Duration::from_millis(100);
/// Without any process of the job, the agent ends after this time: some launchers start the next ones late.
const PATIENCE: Duration = Duration::from_millis(200);
/// An agent that cannot send all says so, this often and if it is more than so many bytes.
const TELL_BEHIND: Duration = Duration::from_secs(1);
const BEHIND: u64 = 64 << 20;
/// Time for `mpivet run` to hear that the agent goes.
const FAREWELL: Duration = Duration::from_secs(5);
/// After this time in silence it says that it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// The task of an agent.
pub struct Task {
    /// Where `mpivet run` listens: `ADDRESS:PORT`, separated by commas.
    pub hub: String,
    /// The secret of the run.
    pub token: Token,
    /// The number that is in the directory of the traces.
    pub nonce: String,
    /// The directory of the traces.
    pub dir: PathBuf,
    /// Where the user wants stages.
    pub stage_dir: Option<PathBuf>,
    /// Traces that were begun earlier are of another run.
    pub since: SystemTime,
    /// Most bytes in a second.
    pub bandwidth: u64,
    /// `mpivet run` sees late what is stored to mapped files there.
    pub is_seen_late: bool,
    /// Each job has a directory in it.
    pub has_several_jobs: bool,
    /// The process that has started the agent, a process of the job. `None`: the batch system has, and those of the job are known
    /// by their traces.
    pub first: Option<ProcessId>,
}

/// Something that happens to an agent.
enum Event {
    Told(ToAgent),
    /// `mpivet run` is gone.
    Alone,
    Ended(End),
    Asked(UnixStream),
    /// A visitor's question has its answer.
    Answered(u64, Vec<u8>),
}

/// Does the task. `lock`: the socket that makes it the only one of its node; its name is free when the last descriptor of it is
/// closed. Fails where the connection cannot be made or is lost.
pub fn run(task: Task, lock: UnixListener) -> io::Result<()> {
    let (tell, events) = channel();
    // Processes that ask get an answer later.
    let lock = listen(lock, &tell)?;
    let (receiver, sender) = match connect(&task.hub, &task.token) {
        Ok((_, connection)) => connection,
        Err(e) => {
            alone::stay(&task, tell, &events);
            return Err(e);
        }
    };
    hear(receiver, tell.clone());
    let mut agent = Agent::new(&task, sender, tell)?;
    if agent.work(lock, &task.nonce, &events)? {
        agent.leave(&events)?;
    }
    Ok(())
}

/// Passes on what `mpivet run` says, and that it is gone.
fn hear(mut receiver: Receiver<TcpStream>, tell: mpsc::Sender<Event>) {
    std::thread::spawn(move || {
        while let Ok(message) = receiver.receive() {
            if tell.send(Event::Told(message)).is_err() {
                return;
            }
        }
        _ = tell.send(Event::Alone);
    });
}

impl Task {
    /// Is there something of processes that others do not see at once in the directory?
    fn hides(&self) -> bool {
        self.is_seen_late || self.stage_dir.is_some() || is_late(&self.dir)
    }
}

/// Is the directory on a file system where other nodes see late what is stored?
fn is_late(dir: &Path) -> bool {
    rustix::fs::statfs(dir).ok().and_then(|found| shared_of(found.f_type as u64)).is_some_and(|shared| shared.is_late)
}

fn bind(nonce: &str) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(socket_name(nonce))?)
}

/// The thread that accepts, and holds the name of the agent; dropped, it gives the name back.
struct Lock(UnixListener);

impl Drop for Lock {
    fn drop(&mut self) {
        // The thread waits in it; from now on nobody can connect.
        _ = rustix::net::shutdown(&self.0, rustix::net::Shutdown::Both);
    }
}

fn listen(socket: UnixListener, tell: &mpsc::Sender<Event>) -> io::Result<Lock> {
    let (other, tell) = (socket.try_clone()?, tell.clone());
    std::thread::spawn(move || {
        while let Ok((stream, _)) = socket.accept()
            && tell.send(Event::Asked(stream)).is_ok()
        {}
    });
    Ok(Lock(other))
}

/// Reads a question, and answers those that need nothing else.
fn reply(stream: &mut UnixStream, is_connected: bool) -> Option<u8> {
    _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
    _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let mut question = [0];
    stream.read_exact(&mut question).ok()?;
    let answer = if is_connected { YES } else { NO };
    match question[0] {
        IS_CONNECTED => _ = stream.write_all(&[answer]),
        FLUSH | HERE if !is_connected => _ = stream.write_all(&question),
        _ => {}
    }
    Some(question[0])
}

/// Sends, and knows what the other side has.
struct Link {
    sender: Sender<TcpStream>,
    /// Questions that were asked whether all is in its place, and those that were answered.
    asked: u64,
    answered: u64,
    last: Instant,
}

impl Link {
    fn send(&mut self, message: &FromAgent) -> io::Result<()> {
        self.last = Instant::now();
        self.sender.send(message)
    }
}

struct Agent {
    link: Link,
    tell: mpsc::Sender<Event>,
    files: Files,
    ends: EndWatch,
    /// Processes of the job on this node.
    living: BTreeSet<ProcessId>,
    /// Processes with traces.
    known: BTreeSet<ProcessId>,
    /// Processes whose ends were told.
    ended: BTreeSet<ProcessId>,
    /// Processes that live and record nothing more.
    leaving: BTreeSet<ProcessId>,
    /// Since when there is none.
    lonely_since: Option<Instant>,
    scanned: Option<Instant>,
    budget: Budget,
    told_behind: Instant,
    /// No process will come any more.
    is_over: bool,
    /// Questions whether all is in its place.
    asking: Vec<Asking>,
}

/// A question whether all of a process is in its place.
struct Asking {
    number: u64,
    process: ProcessId,
    /// The process waits there for the answer.
    stream: Option<UnixStream>,
}

impl Agent {
    /// Begins with the task: says who it is.
    fn new(task: &Task, sender: Sender<TcpStream>, tell: mpsc::Sender<Event>) -> io::Result<Agent> {
        let is_common = nonce::is_in(&task.dir, &task.nonce);
        // Others see late, or not at all, what is written there: processes write somewhere else.
        let is_late = is_common && task.hides();
        let dir = if is_late { node_dir(&task.nonce, task.stage_dir.as_deref()) } else { task.dir.clone() };
        let shares_files = is_common && !is_late;
        let ends = EndWatch::start({
            let tell = tell.clone();
            move |end| _ = tell.send(Event::Ended(end))
        });
        let mut agent = Agent {
            link: Link { sender, asked: 0, answered: 0, last: Instant::now() },
            tell,
            files: Files::new(dir, task.has_several_jobs, shares_files, task.since),
            ends,
            living: BTreeSet::new(),
            known: BTreeSet::new(),
            ended: BTreeSet::new(),
            leaving: BTreeSet::new(),
            lonely_since: None,
            scanned: None,
            budget: Budget::new(task.bandwidth),
            told_behind: Instant::now(),
            is_over: false,
            asking: Vec::new(),
        };
        agent.link.send(&FromAgent::Hello { host: proc::host(), shares_files })?;
        task.first.into_iter().for_each(|first| agent.watch(first));
        Ok(agent)
    }

    /// Works until no process of the job is left on the node. False: `mpivet run` was gone before.
    fn work(&mut self, lock: Lock, nonce: &str, events: &mpsc::Receiver<Event>) -> io::Result<bool> {
        let mut lock = Some(lock);
        loop {
            self.look()?;
            if self.is_done() {
                // A process that comes now starts another agent, or is seen by the last look.
                drop(lock.take());
                self.scanned = None;
                while let Ok(event) = events.try_recv() {
                    self.happens(event)?;
                }
                self.look()?;
                let again = if self.living.is_empty() { None } else { bind(nonce).ok() };
                let Some(again) = again else { return Ok(true) };
                lock = Some(listen(again, &self.tell)?);
            }
            // It holds a sender itself: there is no end but the time.
            let mut event = events.recv_timeout(TICK).ok();
            while let Some(happened) = event {
                if matches!(happened, Event::Alone) {
                    return Ok(false);
                }
                self.happens(happened)?;
                event = events.try_recv().ok();
            }
        }
    }

    /// Says that it goes, and waits until that was heard.
    fn leave(mut self, events: &mpsc::Receiver<Event>) -> io::Result<()> {
        self.link.send(&FromAgent::Bye)?;
        let until = Instant::now() + FAREWELL;
        while let Ok(event) = events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if matches!(event, Event::Alone) {
                break;
            }
        }
        self.files.forget_others();
        Ok(())
    }

    /// A process of the job.
    fn watch(&mut self, process: ProcessId) {
        if proc::lives(process.pid, process.start) && self.living.insert(process) {
            self.ends.add(process);
        }
    }

    /// A process with a trace, which may have ended already.
    fn add(&mut self, process: ProcessId) -> io::Result<()> {
        if !self.known.insert(process) || self.living.contains(&process) {
            return Ok(());
        }
        self.watch(process);
        if self.living.contains(&process) { Ok(()) } else { self.has_ended(process, None, false) }
    }

    /// Tells the end of a process, sends all that it has left, and lets nothing of it lie here.
    fn has_ended(&mut self, process: ProcessId, status: Option<i32>, is_alone: bool) -> io::Result<()> {
        self.living.remove(&process);
        if !self.ended.insert(process) {
            return Ok(());
        }
        self.link.send(&FromAgent::Ended { process, status, is_alone })?;
        self.flush()?;
        self.link.send(&FromAgent::Complete { process })?;
        self.sync(process, None)
    }

    /// Asks whether all of this process is in its place.
    fn sync(&mut self, process: ProcessId, asking: Option<UnixStream>) -> io::Result<()> {
        self.link.asked += 1;
        self.asking.push(Asking { number: self.link.asked, process, stream: asking });
        self.link.send(&FromAgent::Sync { number: self.link.asked })
    }

    /// Looks at files and processes once, and sends what is new.
    fn look(&mut self) -> io::Result<()> {
        if self.scanned.is_none_or(|scanned| scanned.elapsed() >= SCAN_EVERY) {
            self.scanned = Some(Instant::now());
            for process in self.files.scan(&mut |message| self.link.send(message))? {
                self.add(process)?;
            }
            let is_gone = |process: &&ProcessId| !proc::lives(process.pid, process.start);
            // Processes that could not be watched.
            for process in self.living.iter().filter(is_gone).copied().collect::<Vec<_>>() {
                self.has_ended(process, None, false)?;
            }
        }
        let Link { sender, last, .. } = &mut self.link;
        let budget = std::cell::RefCell::new(&mut self.budget);
        let mut may_send = || budget.borrow_mut().has_room(Instant::now());
        let mut send = |message: &FromAgent| {
            let before = sender.sent();
            sender.send(message)?;
            budget.borrow_mut().spend(sender.sent() - before);
            *last = Instant::now();
            Ok(())
        };
        self.files.forward(&mut may_send, &mut send)?;
        if self.told_behind.elapsed() >= TELL_BEHIND {
            self.told_behind = Instant::now();
            let bytes = self.files.unsent();
            if bytes > BEHIND {
                self.link.send(&FromAgent::Behind { bytes })?;
            }
        }
        if self.link.last.elapsed() >= SIGN_OF_LIFE {
            self.link.send(&FromAgent::Alive)?;
        }
        self.lonely_since = if self.living.is_empty() { self.lonely_since.or(Some(Instant::now())) } else { None };
        Ok(())
    }

    fn is_done(&self) -> bool {
        // Files are removed here when they are in their place there.
        let is_all_there = self.asking.is_empty();
        is_all_there && self.lonely_since.is_some_and(|since| self.is_over || since.elapsed() >= PATIENCE)
    }

    fn happens(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Alone => Ok(()),
            Event::Asked(mut stream) => {
                let (question, asker) = (reply(&mut stream, true), asker(&stream));
                match (question, asker) {
                    (Some(HERE), Some(process)) => {
                        self.watch(process);
                        _ = stream.write_all(&[HERE]);
                        Ok(())
                    }
                    (Some(FLUSH), Some(process)) => {
                        self.flush()?;
                        self.sync(process, Some(stream))
                    }
                    _ => Ok(()),
                }
            }
            Event::Ended(End { process, status, is_alone, .. }) => self.has_ended(process, status, is_alone),
            Event::Told(ToAgent::Inquire { number, inquiry }) => {
                inquire::begin(number, inquiry, &self.known, self.tell.clone());
                Ok(())
            }
            Event::Answered(number, bytes) => {
                inquire::parts(&bytes, |part| self.link.send(&FromAgent::Told { number, part: Some(part) }))
            }
            // Nobody says that to an agent.
            Event::Told(ToAgent::Told { .. }) => Ok(()),
            Event::Told(ToAgent::Over) => {
                self.is_over = true;
                self.scanned = None;
                Ok(())
            }
            Event::Told(ToAgent::Received { number }) => {
                self.link.answered = number;
                self.answer()
            }
            Event::Told(ToAgent::Look { question, process, accounted, unnamed }) => {
                let (reading, others_wait) = match self.living.contains(&process) {
                    true => (
                        read_process(process.pid, process.start),
                        others_wait_for_ever(process.pid, &accounted, unnamed as usize),
                    ),
                    false => (Reading::GONE, false),
                };
                self.flush()?;
                self.link.send(&FromAgent::Seen { question, reading, others_wait })
            }
            Event::Told(ToAgent::Kill { processes }) => {
                for process in processes.into_iter().filter(|process| self.living.contains(process)) {
                    kill(process);
                }
                Ok(())
            }
        }
    }

    /// Sends all that there is.
    fn flush(&mut self) -> io::Result<()> {
        _ = self.files.scan(&mut |message| self.link.send(message))?;
        self.files.forward_all(&mut |message| self.link.send(message))
    }

    /// The records of some processes are in their place: they need not lie here, and the processes may go.
    fn answer(&mut self) -> io::Result<()> {
        let answered = self.link.answered;
        let (done, waiting) =
            std::mem::take(&mut self.asking).into_iter().partition(|asking| asking.number <= answered);
        self.asking = waiting;
        let done: Vec<Asking> = done;
        for Asking { process, .. } in &done {
            self.files.forget(*process);
            self.leaving.insert(*process);
        }
        // Batch systems end what is left on a node with the last process: nothing of the agent must be left to do then.
        if !done.is_empty() && self.living.is_subset(&self.leaving) {
            self.files.forget_others();
            self.link.send(&FromAgent::Leaving)?;
        }
        for mut stream in done.into_iter().filter_map(|asking| asking.stream) {
            _ = stream.write_all(&[FLUSH]);
        }
        Ok(())
    }
}

/// The process at the other end.
fn asker(stream: &UnixStream) -> Option<ProcessId> {
    let pid = rustix::net::sockopt::socket_peercred(stream).ok()?.pid.as_raw_nonzero().get() as u32;
    Some(ProcessId { pid, start: proc::start(pid)? })
}

fn kill(process: ProcessId) {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let Some(descriptor) = Pid::from_raw(process.pid as i32).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
    else {
        return;
    };
    if proc::lives(process.pid, process.start) {
        _ = pidfd_send_signal(&descriptor, Signal::KILL);
    }
}

/// The directories of jobs in this one, and it itself.
fn directories(dir: &Path, has_several_jobs: bool) -> Vec<PathBuf> {
    let mut all = vec![dir.to_owned()];
    if has_several_jobs {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        all.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    all
}
