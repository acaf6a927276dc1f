//! A hub as strangers and agents meet it, over real connections.

use agents::hub::{Hub, Link, Question};
use agents::process::{Activity, Reading};
use agents::visit::Visit;
use agents::wire::channel::{Receiver, Sender};
use agents::wire::handshake::{of_agent, of_hub};
use agents::wire::message::{FromAgent, Inquiry, Place, ProcessId, ToAgent};
use agents::wire::token::Token;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(20);

fn dial(hub: &Hub) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, hub.port())).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

fn agent(hub: &Hub, host: &str) -> io::Result<(Receiver<TcpStream>, Sender<TcpStream>)> {
    let stream = dial(hub);
    let (receiver, mut sender) = of_agent(hub.token(), stream.try_clone()?, stream)?;
    sender.send(&FromAgent::Hello { host: host.to_owned(), shares_files: false })?;
    Ok((receiver, sender))
}

fn until(mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LIMIT, "it takes too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn bytes(name: &str, at: u64, is_new: bool, bytes: &[u8]) -> FromAgent {
    FromAgent::Bytes { place: Place::new(Path::new(name)).unwrap(), at, is_new, bytes: bytes.to_vec() }
}

#[test]
fn files_of_an_agent_come_to_their_directory() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    let (mut receiver, mut sender) = agent(&hub, "node1").unwrap();
    let large: Vec<u8> = (0..300_000u32).map(|i| (i / 7) as u8).collect();
    sender.send(&bytes("rank-1.mpv", 0, true, &large)).unwrap();
    sender.send(&bytes("rank-1.mpv", 300_000, false, b"more")).unwrap();
    sender.send(&bytes("job-1/launch.json", 0, true, b"{}")).unwrap();
    sender.send(&FromAgent::Sync { number: 7 }).unwrap();
    assert_eq!(receiver.receive::<ToAgent>().unwrap(), ToAgent::Received { number: 7 });
    assert_eq!(std::fs::read(dir.path().join("rank-1.mpv")).unwrap(), [&large[..], b"more"].concat());
    assert_eq!(std::fs::read(dir.path().join("job-1/launch.json")).unwrap(), b"{}");
    assert!(sender.sent() < 100_000, "{} bytes were sent", sender.sent());
    sender.send(&bytes("rank-1.mpv", 0, true, b"new")).unwrap();
    sender.send(&FromAgent::Removed { place: Place::new(Path::new("job-1/launch.json")).unwrap() }).unwrap();
    sender.send(&FromAgent::Bye).unwrap();
    assert!(hub.wait(LIMIT).is_empty());
    assert_eq!(std::fs::read(dir.path().join("rank-1.mpv")).unwrap(), b"new");
    assert!(!dir.path().join("job-1/launch.json").exists());
    assert_eq!((hub.link("node1"), hub.link("node2")), (Some(Link::Done), None));
    assert!(hub.incomplete().is_empty() && hub.troubles().is_empty() && hub.received() > 0);
}

#[test]
fn questions_are_answered_in_the_turn_after_they_came() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    let (mut receiver, mut sender) = agent(&hub, "node1").unwrap();
    until(|| hub.link("node1").is_some());
    let (process, since) = (ProcessId { pid: 42, start: 7 }, Instant::now());
    let all = [Question { host: "node1".into(), process, accounted: vec![42], unnamed: 0 }];
    assert!(hub.answers(&all, hub.turn(), since).is_none());
    let ToAgent::Look { question, process: asked, .. } = receiver.receive().unwrap() else { panic!("no question") };
    assert_eq!(asked, process);
    let before = hub.turn();
    let reading = Reading { activity: Activity::Sleeps, cpu: Duration::from_millis(3) };
    sender.send(&FromAgent::Seen { question, reading, others_wait: true }).unwrap();
    until(|| hub.turn() != before);
    // Somebody who has read the traces before it came must read them again.
    assert!(hub.answers(&all, before, since).is_none());
    let answers = hub.answers(&all, hub.turn(), since).unwrap();
    assert_eq!((answers[0].reading, answers[0].others_wait), (reading, true));
    // An answer is given once, and the next one is asked for at once.
    let ToAgent::Look { question, .. } = receiver.receive().unwrap() else { panic!("no question") };
    assert!(hub.answers(&all, hub.turn(), since).is_none());
    let before = hub.turn();
    sender.send(&FromAgent::Seen { question, reading, others_wait: true }).unwrap();
    until(|| hub.turn() != before);
    // It says nothing of what began later.
    assert!(hub.answers(&all, hub.turn(), Instant::now()).is_none());
    assert!(matches!(receiver.receive().unwrap(), ToAgent::Look { .. }));
    sender.send(&FromAgent::Ended { process, status: Some(9), is_alone: false }).unwrap();
    until(|| hub.has_ended("node1", process));
    hub.kill(&[("node1".into(), process), ("node2".into(), process)]);
    assert_eq!(receiver.receive::<ToAgent>().unwrap(), ToAgent::Kill { processes: vec![process] });
    hub.is_over();
    assert_eq!(receiver.receive::<ToAgent>().unwrap(), ToAgent::Over);
}

#[test]
fn a_lost_connection_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    let ends = agent(&hub, "node1").unwrap();
    until(|| hub.link("node1") == Some(Link::Connected));
    drop(ends);
    until(|| hub.link("node1") == Some(Link::Lost));
    assert!(hub.troubles()[0].contains("node1"));
    assert_eq!(hub.incomplete(), ["node1"]);
}

#[test]
fn a_stranger_gets_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    // Another secret.
    let stream = dial(&hub);
    assert!(of_agent(&Token::new().unwrap(), stream.try_clone().unwrap(), stream).is_err());
    // No word of the protocol: not a byte comes back.
    let mut stream = dial(&hub);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n0123456789abcdef0123456789abcdef").unwrap();
    let mut answer = Vec::new();
    _ = stream.read_to_end(&mut answer);
    assert_eq!(answer, b"");
    // Without the secret nobody can say nothing behind the beginning either.
    let mut stream = dial(&hub);
    stream.write_all(&[&b"mpivet agent 1\r\n"[..], &[7; 32]].concat()).unwrap();
    let mut answer = [0; 64];
    stream.read_exact(&mut answer).unwrap();
    stream.write_all(&[0; 32]).unwrap();
    _ = stream.write_all(&[0; 1000]);
    assert!(matches!(stream.read(&mut answer), Ok(0) | Err(_)));
    assert_eq!(hub.received(), 0);
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none());
    assert!(agent(&hub, "node1").is_ok());
}

#[test]
fn a_flood_of_strangers_keeps_no_agent_out() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    // They say nothing and stay.
    let flood: Vec<TcpStream> = (0..400).map(|_| dial(&hub)).collect();
    let start = Instant::now();
    let (_receiver, mut sender) = agent(&hub, "node1").unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    sender.send(&FromAgent::Bye).unwrap();
    until(|| hub.link("node1") == Some(Link::Done));
    drop(flood);
}

/// A stream that alters what is written through it.
struct Altered {
    stream: TcpStream,
    alter: fn(&mut Vec<u8>),
}

impl Write for Altered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut altered = bytes.to_vec();
        (self.alter)(&mut altered);
        self.stream.write_all(&altered)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[test]
fn altered_and_repeated_frames_end_the_connection() {
    let alterations: [fn(&mut Vec<u8>); 4] = [
        |frame| frame.last_mut().into_iter().for_each(|byte| *byte ^= 1),
        |frame| frame[6] ^= 0x40,
        |frame| frame.extend(frame.clone()),
        |frame| frame[2] = 0xff,
    ];
    for (i, alter) in alterations.into_iter().enumerate() {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let token: Token = "17".repeat(32).parse().unwrap();
        let (own, address) = (token.clone(), listener.local_addr().unwrap());
        let other = std::thread::spawn(move || {
            let stream = TcpStream::connect(address).unwrap();
            let (_receiver, sender) = of_agent(&own, stream.try_clone().unwrap(), stream.try_clone().unwrap()).unwrap();
            let mut sender = sender.over(|_| Altered { stream: stream.try_clone().unwrap(), alter });
            _ = sender.send(&FromAgent::Alive);
            _ = sender.send(&FromAgent::Alive);
            _ = stream.shutdown(Shutdown::Write);
        });
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let (mut receiver, _sender) = of_hub(&token, stream.try_clone().unwrap(), stream).unwrap();
        let first = receiver.receive::<FromAgent>();
        // The first one of a repeated frame is as it was sent.
        let refused = if i == 2 { receiver.receive::<FromAgent>() } else { first };
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::InvalidData, "alteration {i}");
        other.join().unwrap();
    }
}

#[test]
fn a_message_says_no_more_than_it_may() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    let (_receiver, mut sender) = agent(&hub, "node1").unwrap();
    assert!(sender.send(&bytes("rank-0.mpv", 0, true, &vec![0; 2 << 20])).is_err());
    // In the middle of a file that was never begun.
    sender.send(&bytes("rank-0.mpv", 10, false, b"x")).unwrap();
    until(|| hub.link("node1") == Some(Link::Lost));
    assert!(!dir.path().join("rank-0.mpv").exists());
}

#[test]
fn a_port_is_one_of_those_that_were_given() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), Some(20_000..=60_000)).unwrap();
    assert!((20_000..=60_000).contains(&hub.port()));
    let taken = hub.port()..=hub.port();
    assert!(Hub::start(dir.path(), Some(taken)).is_err());
}

#[test]
fn a_visitor_asks_agents_by_way_of_the_hub() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::start(dir.path(), None).unwrap();
    assert!(Visit::enter(dir.path()).is_err());
    if hub.variables().is_empty() {
        println!("skipped: this host has no address that others reach");
        return;
    }
    hub.tell().unwrap();
    let (mut receiver, mut sender) = agent(&hub, "node1").unwrap();
    until(|| hub.link("node1").is_some());
    let agent = std::thread::spawn(move || {
        let ToAgent::Inquire { number, inquiry } = receiver.receive().unwrap() else { panic!("no question") };
        assert!(matches!(inquiry, Inquiry::Look { process: ProcessId { pid: 42, .. }, .. }));
        for part in [(b"two ".to_vec(), false), (b"parts".to_vec(), true)] {
            sender.send(&FromAgent::Told { number, part: Some(part) }).unwrap();
        }
        // Gone before it answers.
        assert!(matches!(receiver.receive().unwrap(), ToAgent::Inquire { .. }));
    });
    let mut visit = Visit::enter(dir.path()).unwrap();
    let look = Inquiry::Look { process: ProcessId { pid: 42, start: 7 }, accounted: Vec::new() };
    let all = [("node1".to_owned(), look.clone()), ("node2".to_owned(), look.clone())];
    assert_eq!(visit.ask(&all), [Some(b"two parts".to_vec()), None]);
    assert_eq!(visit.ask(&all[..1]), [None]);
    agent.join().unwrap();
    assert_eq!(visit.ask(&all[..1]), [None]);
    drop(hub);
    assert!(Visit::enter(dir.path()).is_err());
}
