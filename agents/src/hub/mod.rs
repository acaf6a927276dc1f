//! All agents of a job, in `mpivet run`: it listens for them, puts what they send where the traces are read, and asks them.

mod mirror;
mod stage;
mod told_by_files;

use crate::ends::End;
use crate::node::LOST_AFTER;
use crate::node::notice_loss;
use crate::process::Reading;
use crate::wire::channel::{Receiver, Sender};
use crate::wire::handshake;
use crate::wire::message::{FromAgent, ProcessId, ToAgent};
use crate::wire::token::Token;
#[cfg(test)]
pub(crate) use stage::StageMirror;
use told_by_files::ToldByFiles;

pub use mirror::{Mirror, Owners};
use nix::ifaddrs::getifaddrs;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};
use trace_format::run::agent::{Entrance, HUB, TOKEN};

/// Time to prove that one knows the secret.
const HANDSHAKE: Duration = Duration::from_secs(3);
/// Connections at a time of which it is not known who they are: strangers take no more.
const MOST_STRANGERS: usize = 64;
/// Connections of agents at a time.
const MOST_AGENTS: usize = 4096;

/// A question about a process of another host.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// Its host.
    pub host: String,
    /// The process.
    pub process: ProcessId,
    /// Threads of it in calls that are known, as the system numbers them.
    pub accounted: Vec<u32>,
    /// How many more there are.
    pub unnamed: usize,
}

/// The answer. Whatever the process had recorded when it was looked at, readers of its trace found when this came.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// The process.
    pub reading: Reading,
    /// Its other threads wait for each other without limit.
    pub others_wait: bool,
}

/// The connection with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// It is there.
    Connected,
    /// It has said that all processes of its node are gone and all was sent.
    Done,
    /// It was lost.
    Lost,
}

struct Agent {
    link: Link,
    shares_files: bool,
    sender: Arc<Mutex<Sender<TcpStream>>>,
    stream: TcpStream,
    received: u64,
}

/// A question on its way, or its answer.
struct Asked {
    question: Question,
    at: Instant,
    /// With the number of the answer among all.
    answer: Option<(u64, Answer)>,
}

/// An answer that nobody has fetched is forgotten, and a question without one is asked again.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(5);

#[derive(Default)]
struct State {
    /// By host.
    agents: BTreeMap<String, Agent>,
    owners: Owners,
    /// Each process that has ended, with its host.
    ends: Vec<(String, End)>,
    told_by_files: ToldByFiles,
    /// Questions of visitors: the host, and the number that a visitor has given it.
    visits: HashMap<u64, (String, u64, SharedSender)>,
    /// Hosts that were told to be behind.
    behind: BTreeSet<String>,
    /// Processes of which all has come.
    complete: BTreeSet<(String, ProcessId)>,
    asked: HashMap<u64, Asked>,
    questions: u64,
    answers: u64,
    /// Why the connection with an agent was lost, or its files could not be written.
    troubles: Vec<String>,
}

/// See the module.
pub struct Hub {
    dir: PathBuf,
    token: Token,
    addresses: String,
    state: Arc<Mutex<State>>,
    ends: Arc<AtomicBool>,
    port: u16,
    start: Instant,
    agents: OnceLock<(Vec<(OsString, OsString)>, PathBuf)>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(|e| e.into_inner())
}

/// A listener on a port of these, or on any.
fn bind(ports: Option<RangeInclusive<u16>>) -> io::Result<TcpListener> {
    let mut last = None;
    for port in ports.unwrap_or(0..=0) {
        let any = [IpAddr::from(Ipv6Addr::UNSPECIFIED), IpAddr::from(Ipv4Addr::UNSPECIFIED)];
        for address in any {
            match TcpListener::bind(SocketAddr::new(address, port)) {
                Ok(listener) => return Ok(listener),
                Err(e) => last = Some(e),
            }
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::AddrNotAvailable, "there is no port")))
}

/// The addresses of this host that others may reach.
fn addresses() -> Vec<IpAddr> {
    let all = getifaddrs().into_iter().flatten().filter_map(|interface| {
        let address = interface.address?;
        let v4 = address.as_sockaddr_in().map(|address| IpAddr::from(address.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|address| IpAddr::from(address.ip())))
    });
    let is_local = |address: &IpAddr| match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unicast_link_local(),
    };
    let all: BTreeSet<IpAddr> = all.filter(|address| !is_local(address)).collect();
    all.into_iter().collect()
}

impl Hub {
    /// Listens for the agents of a job whose traces are read in `dir`, on a port of these, or on any. Fails where that cannot be.
    pub fn start(dir: &Path, ports: Option<RangeInclusive<u16>>) -> io::Result<Hub> {
        let listener = bind(ports)?;
        let port = listener.local_addr()?.port();
        let addresses: Vec<String> =
            addresses().into_iter().map(|address| SocketAddr::new(address, port).to_string()).collect();
        let (token, state, ends) = (Token::new()?, Arc::<Mutex<State>>::default(), Arc::<AtomicBool>::default());
        let hub = Hub {
            dir: dir.to_owned(),
            token,
            addresses: addresses.join(","),
            state,
            ends,
            port,
            start: Instant::now(),
            agents: OnceLock::new(),
        };
        hub.listen(listener);
        Ok(hub)
    }

    /// Tells the owner of the directory where it listens. Fails where that cannot be written.
    pub fn tell(&self) -> io::Result<()> {
        let entrance = Entrance { hub: self.addresses.clone(), token: self.token.to_hex() };
        if self.addresses.is_empty() { Ok(()) } else { entrance.write(&self.dir) }
    }

    /// Variables by which agents find it. Without an address that others reach there are none.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        if self.addresses.is_empty() {
            return Vec::new();
        }
        vec![(HUB, self.addresses.clone()), (TOKEN, self.token.to_hex())]
    }

    fn listen(&self, listener: TcpListener) {
        let (state, token, ends, dir) = (self.state.clone(), self.token.clone(), self.ends.clone(), self.dir.clone());
        std::thread::spawn(move || {
            let strangers = Strangers::default();
            loop {
                let accepted = listener.accept();
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let Some((stream, number)) = accepted.ok().and_then(|(stream, _)| strangers.admit(stream)) else {
                    // Too many open files, maybe: some will be closed.
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                };
                let (state, token, dir, strangers) = (state.clone(), token.clone(), dir.clone(), strangers.clone());
                std::thread::spawn(move || {
                    let known = introduce(&stream, &token);
                    strangers.leave(number);
                    if let Ok((receiver, sender)) = known {
                        serve(&state, &dir, stream, receiver, sender);
                    }
                });
            }
        });
    }

    /// The variables and the program of agents, for those that no rank starts.
    pub fn set_agents(&self, environment: Vec<(OsString, OsString)>, program: PathBuf) {
        _ = self.agents.set((environment, program));
    }

    /// See [`Hub::set_agents`].
    pub fn agents(&self) -> Option<&(Vec<(OsString, OsString)>, PathBuf)> {
        self.agents.get()
    }

    /// The secret of the run.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// For how long it has listened: no trace of its job is older.
    pub fn age(&self) -> Duration {
        self.start.elapsed()
    }

    /// The port that it listens at.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The connection with the agent of a host; `None`: there never was one.
    pub fn link(&self, host: &str) -> Option<Link> {
        self.lock().agents.get(host).map(|agent| agent.link)
    }

    /// Does the agent of this host send the files of its node?
    pub fn sends(&self, host: &str) -> bool {
        self.lock().agents.get(host).is_some_and(|agent| !agent.shares_files)
    }

    /// A number for this moment. Whoever reads the traces behind it may use the answers that have come until now.
    pub fn turn(&self) -> u64 {
        self.lock().answers
    }

    /// Answers to all of these, each new, that were asked for at `since` or later and have come before a turn; `None`: they are on
    /// their way. The next ones are asked for at once.
    pub fn answers(&self, questions: &[Question], turn: u64, since: Instant) -> Option<Vec<Answer>> {
        let mut state = self.lock();
        let is_of_use = |asked: &Asked| asked.at >= since || !questions.contains(&asked.question);
        state.asked.retain(|_, asked| asked.at.elapsed() < FORGOTTEN_AFTER && is_of_use(asked));
        let mut ready = Vec::new();
        for question in questions {
            match state.asked.iter().find(|(_, asked)| asked.question == *question) {
                Some((number, Asked { answer: Some((at, answer)), .. })) if *at <= turn => {
                    ready.push((*number, *answer))
                }
                Some(_) => {}
                None => ask(&mut state, question),
            }
        }
        (ready.len() == questions.len()).then(|| {
            let take = |(number, answer)| {
                state.asked.remove(&number);
                answer
            };
            let answers = ready.into_iter().map(take).collect();
            questions.iter().for_each(|question| ask(&mut state, question));
            answers
        })
    }

    /// Tells the agents that the launcher has ended.
    pub fn is_over(&self) {
        for agent in self.lock().agents.values().filter(|agent| agent.link == Link::Connected) {
            _ = agent.sender.lock().unwrap_or_else(|e| e.into_inner()).send(&ToAgent::Over);
        }
    }

    /// The ends of processes of other hosts, in the order in which they were told.
    pub fn ends(&self) -> Vec<(String, End)> {
        self.lock().ends.clone()
    }

    /// Has the process ended, as its agent says?
    pub fn has_ended(&self, host: &str, process: ProcessId) -> bool {
        self.lock().ends.iter().any(|(there, end)| there == host && end.process == process)
    }

    /// Has all come that the process had recorded before its end?
    pub fn is_complete(&self, host: &str, process: ProcessId) -> bool {
        self.lock().complete.contains(&(host.to_owned(), process))
    }

    /// Has the agents kill these.
    pub fn kill(&self, processes: &[(String, ProcessId)]) {
        let state = self.lock();
        for (host, agent) in state.agents.iter().filter(|(_, agent)| agent.link == Link::Connected) {
            let here = processes.iter().filter(|(there, _)| there == host).map(|(_, process)| *process);
            let message = ToAgent::Kill { processes: here.collect() };
            _ = agent.sender.lock().unwrap_or_else(|e| e.into_inner()).send(&message);
        }
    }

    /// Waits until all agents have said that they are done, at most so long. Those that have not.
    pub fn wait(&self, limit: Duration) -> Vec<String> {
        let until = Instant::now() + limit;
        loop {
            let open: Vec<String> = {
                let state = self.lock();
                let is_open = |agent: &Agent| agent.link == Link::Connected;
                state.agents.iter().filter(|(_, agent)| is_open(agent)).map(|(host, _)| host.clone()).collect()
            };
            if open.is_empty() || Instant::now() >= until {
                return open;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Hosts whose agents were lost before they were done, although they send the files of their node.
    pub fn incomplete(&self) -> Vec<String> {
        let state = self.lock();
        let lost = state.agents.iter().filter(|(_, agent)| !agent.shares_files && agent.link != Link::Done);
        lost.map(|(host, _)| host.clone()).collect()
    }

    /// The directory that the files come to, which has the same path on the nodes.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Hosts whose agents were lost.
    pub fn lost(&self) -> Vec<String> {
        self.lock().agents.iter().filter(|(_, agent)| agent.link == Link::Lost).map(|(host, _)| host.clone()).collect()
    }

    /// Lines about what went wrong since the last time.
    pub fn troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().troubles)
    }

    /// Bytes that came from agents.
    pub fn received(&self) -> u64 {
        self.lock().agents.values().map(|agent| agent.received).sum()
    }
}

/// Connections of which it is not known who they are. If there are too many the oldest one ends: an agent needs some
/// milliseconds to say who it is, so that a flood of others does not keep it out.
#[derive(Clone, Default)]
struct Strangers(Arc<Mutex<(u64, BTreeMap<u64, TcpStream>)>>);

impl Strangers {
    fn admit(&self, stream: TcpStream) -> Option<(TcpStream, u64)> {
        let own = stream.try_clone().ok()?;
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let (next, streams) = &mut *all;
        while streams.len() >= MOST_STRANGERS
            && let Some((_, oldest)) = streams.pop_first()
        {
            _ = oldest.shutdown(Shutdown::Both);
        }
        *next += 1;
        streams.insert(*next, own);
        Some((stream, *next))
    }

    fn leave(&self, number: u64) {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).1.remove(&number);
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        Entrance::forget(&self.dir);
        self.remove_files();
        // Wakes the thread that accepts.
        _ = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, self.port).into(), Duration::from_millis(100));
        for agent in self.lock().agents.values() {
            _ = agent.stream.shutdown(Shutdown::Both);
        }
    }
}

fn introduce(stream: &TcpStream, token: &Token) -> io::Result<handshake::Connection<TcpStream, TcpStream>> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HANDSHAKE))?;
    stream.set_write_timeout(Some(HANDSHAKE))?;
    let known = handshake::of_hub(token, stream.try_clone()?, stream.try_clone()?)?;
    notice_loss(stream)?;
    // Agents say something more often.
    stream.set_read_timeout(Some(LOST_AFTER))?;
    stream.set_write_timeout(Some(LOST_AFTER))?;
    Ok(known)
}

fn ask(state: &mut State, question: &Question) {
    let number = state.questions;
    let Some(agent) = state.agents.get(&question.host).filter(|agent| agent.link == Link::Connected) else { return };
    let message = ToAgent::Look {
        question: number,
        process: question.process,
        accounted: question.accounted.clone(),
        unnamed: question.unnamed as u32,
    };
    let sent = agent.sender.lock().unwrap_or_else(|e| e.into_inner()).send(&message);
    if sent.is_ok() {
        state.questions += 1;
        state.asked.insert(number, Asked { question: question.clone(), at: Instant::now(), answer: None });
    }
}

/// Does what an agent says, until it is done or the connection is lost.
fn serve(
    state: &Mutex<State>,
    dir: &Path,
    stream: TcpStream,
    mut receiver: Receiver<TcpStream>,
    sender: Sender<TcpStream>,
) {
    let first = receiver.receive();
    let sender = Arc::new(Mutex::new(sender));
    let (host, shares_files) = match first {
        Ok(FromAgent::Hello { host, shares_files }) => (host, shares_files),
        Ok(FromAgent::Visit) => return visit(state, &stream, &mut receiver, &sender),
        _ => return,
    };
    {
        let mut state = lock(state);
        if state.agents.len() >= MOST_AGENTS {
            return;
        }
        let agent = Agent { link: Link::Connected, shares_files, sender: sender.clone(), stream, received: 0 };
        // Another job of this command, or one whose processes had all ended, may have had an agent there.
        if let Some(before) = state.agents.insert(host.clone(), agent) {
            _ = before.stream.shutdown(Shutdown::Both);
        }
    }
    let mut mirror = Mirror::new(dir, &host);
    let mut is_leaving = false;
    let ended = receive(state, &host, &mut mirror, &mut receiver, &sender, &mut is_leaving);
    let mut state = lock(state);
    let (link, trouble) = match ended {
        Ok(()) => (Link::Done, None),
        Err(_) if is_leaving => (Link::Done, None),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
            (Link::Lost, Some(format!("the agent on {host} has ended before its time (was it killed?)")))
        }
        Err(e) => (Link::Lost, Some(format!("the connection with {host} is lost: {e}"))),
    };
    state.troubles.extend(trouble);
    state.asked.retain(|_, asked| asked.question.host != host);
    let (lost, rest) = std::mem::take(&mut state.visits).into_iter().partition(|(_, (there, ..))| *there == host);
    state.visits = rest;
    let lost: HashMap<_, (String, u64, SharedSender)> = lost;
    lost.into_values().for_each(|(_, number, visitor)| _ = send(&visitor, &ToAgent::Told { number, part: None }));
    let mine = |agent: &&mut Agent| Arc::ptr_eq(&agent.sender, &sender);
    if let Some(agent) = state.agents.get_mut(&host).filter(mine) {
        agent.link = link;
        agent.received = receiver.received();
        // The agent waits for that.
        _ = agent.stream.shutdown(Shutdown::Both);
    }
}

/// Passes on what a visitor asks, as long as it is there.
fn visit(state: &Mutex<State>, stream: &TcpStream, receiver: &mut Receiver<TcpStream>, sender: &SharedSender) {
    // It may think for a while before it asks.
    _ = stream.set_read_timeout(None);
    while let Ok(message) = receiver.receive() {
        let FromAgent::Ask { number, host, inquiry } = message else { return };
        let mut state = lock(state);
        let own = state.questions;
        state.questions += 1;
        let agent = state.agents.get(&host).filter(|agent| agent.link == Link::Connected);
        let asked = agent.is_some_and(|agent| send(&agent.sender, &ToAgent::Inquire { number: own, inquiry }));
        if asked {
            state.visits.insert(own, (host, number, sender.clone()));
        } else if !send(sender, &ToAgent::Told { number, part: None }) {
            return;
        }
    }
}

type SharedSender = Arc<Mutex<Sender<TcpStream>>>;

fn send(sender: &Mutex<Sender<TcpStream>>, message: &ToAgent) -> bool {
    sender.lock().unwrap_or_else(|e| e.into_inner()).send(message).is_ok()
}

fn receive(
    state: &Mutex<State>,
    host: &str,
    mirror: &mut Mirror,
    receiver: &mut Receiver<TcpStream>,
    sender: &Mutex<Sender<TcpStream>>,
    is_leaving: &mut bool,
) -> io::Result<()> {
    loop {
        let message = receiver.receive()?;
        *is_leaving = match message {
            FromAgent::Leaving => true,
            FromAgent::Bytes { .. } | FromAgent::Stage { .. } => false,
            _ => *is_leaving,
        };
        match message {
            FromAgent::Bye => return Ok(()),
            FromAgent::Behind { bytes } => {
                let mut state = lock(state);
                if state.behind.insert(host.to_owned()) {
                    let line = format!(
                        "{host} records faster than its agent may send, {} MB wait there: they are sent when its ranks rest or \
                         end (--agent-bandwidth)",
                        bytes >> 20
                    );
                    state.troubles.push(line);
                }
            }
            FromAgent::Alive
            | FromAgent::Leaving
            | FromAgent::Hello { .. }
            | FromAgent::Visit
            | FromAgent::Ask { .. } => {}
            FromAgent::Told { number, part } => {
                let is_last = part.as_ref().is_none_or(|(_, is_last)| *is_last);
                let visit = {
                    let mut state = lock(state);
                    match state.visits.get(&number) {
                        Some((there, ..)) if there != host => None,
                        Some(_) if is_last => state.visits.remove(&number),
                        other => other.cloned(),
                    }
                };
                if let Some((_, number, visitor)) = visit {
                    send(&visitor, &ToAgent::Told { number, part });
                }
            }
            FromAgent::Sync { number } => {
                sender.lock().unwrap_or_else(|e| e.into_inner()).send(&ToAgent::Received { number })?;
            }
            FromAgent::Ended { process, status, is_alone } => {
                let end = End { process, at: Instant::now(), status, is_alone };
                lock(state).ends.push((host.to_owned(), end));
            }
            FromAgent::Complete { process } => _ = lock(state).complete.insert((host.to_owned(), process)),
            FromAgent::Seen { question, reading, others_wait } => {
                let mut state = lock(state);
                state.answers += 1;
                let number = state.answers;
                if let Some(asked) = state.asked.get_mut(&question).filter(|asked| asked.question.host == host) {
                    asked.answer = Some((number, Answer { reading, others_wait }));
                }
            }
            message @ (FromAgent::Bytes { .. } | FromAgent::Stage { .. } | FromAgent::Removed { .. }) => {
                // Files of different agents have different names, which the lock holds.
                mirror.add(&message, &mut lock(state).owners)?;
            }
        }
    }
}
