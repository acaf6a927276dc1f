//! Small worlds, in words: each rank is in a function, with operations in its queues.

use super::*;
use debugger::library::{Family, Library};
use debugger::snapshot::{Queue, Queues, Thread, Unit};

/// `send 1 5`, `recv any any`, ...: queue, peer, tag.
fn operation_of(text: &str) -> (bool, Operation) {
    let words: Vec<&str> = text.split(' ').collect();
    let number = |word: &str| word.parse::<i64>().ok();
    let operation = Operation {
        status: if words.contains(&"complete") { Status::Complete } else { Status::Pending },
        peer: number(words[1]),
        world_peer: number(words[1]),
        tag: number(words[2]),
        length: 4,
        unit: Unit::Bytes,
        buffer: 1,
        system_buffer: false,
        actual: None,
        text: Vec::new(),
    };
    (words[0] == "send", operation)
}

fn rank(rank: i32, size: i32, function: &str, operations: &[&str]) -> Snapshot {
    let mut queue = [(); 2].map(|()| Queue { given: true, ordered: true, operations: Vec::new() });
    for (send, operation) in operations.iter().map(|o| operation_of(o)) {
        queue[usize::from(send)].operations.push(operation);
    }
    let [receives, sends] = queue;
    let world = Communicator {
        id: 0,
        name: "MPI_COMM_WORLD".into(),
        rank: rank.into(),
        size: size.into(),
        group: Some((0..size).collect()),
        inter: Some(false),
        sends,
        receives,
        unexpected: Queue::default(),
    };
    let queues = Queues {
        dll: "/dll".into(),
        dll_version: String::new(),
        types: String::new(),
        communicators: vec![world],
        changing: false,
        fingerprint: Some(1),
        messages: Vec::new(),
    };
    let library = Library { family: Family::OpenMpi, version: String::new(), device: String::new(), path: "/m".into() };
    Snapshot {
        host: None,
        pid: 100 + rank,
        start: 1,
        program: "/app".into(),
        rank: Some(rank),
        size: Some(size),
        world: "one".into(),
        library,
        queues: Some(queues),
        no_queues: None,
        threads: vec![thread(100 + rank, function)],
        imports: Some(vec!["MPI_Irecv".into()]),
        no_stacks: None,
    }
}

fn thread(tid: i32, function: &str) -> Thread {
    let function = (!function.is_empty()).then(|| function.to_owned());
    Thread { tid, function, waits: Some(true), frames: Vec::new(), complete: true, library_thread: false }
}

/// A job of the ranks described by function and operations.
fn job(ranks: &[(&str, &[&str])]) -> Vec<Snapshot> {
    let size = ranks.len() as i32;
    ranks.iter().zip(0..).map(|((function, operations), r)| rank(r, size, function, operations)).collect()
}

fn deadlocked(snapshots: &[Snapshot]) -> Vec<usize> {
    deadlock(snapshots).iter().map(|s| s.process).collect()
}

fn of(ranks: &[(&str, &[&str])]) -> Vec<usize> {
    deadlocked(&job(ranks))
}

#[test]
fn two_that_receive_from_each_other() {
    assert_eq!(of(&[("MPI_Recv", &["recv 1 9"]), ("MPI_Recv", &["recv 0 9"])]), [0, 1]);
    assert_eq!(of(&[("MPI_Send", &["send 1 9"]), ("MPI_Send", &["send 0 9"])]), [0, 1]);
    assert_eq!(of(&[("MPI_Recv_c", &["recv 1 9"]), ("MPI_Ssend", &["send 0 8"])]), [0, 1]);
}

#[test]
fn a_message_on_its_way_is_no_deadlock() {
    assert!(of(&[("MPI_Recv", &["recv 1 9"]), ("MPI_Send", &["send 0 9"])]).is_empty());
    assert!(of(&[("MPI_Recv", &["recv any any"]), ("MPI_Send", &["send 0 9"])]).is_empty());
    // It is in the receive of another call.
    assert!(of(&[("MPI_Recv", &["recv 1 9", "recv 1 8"]), ("MPI_Send", &["send 0 8"])]).is_empty());
}

#[test]
fn who_is_outside_of_mpi_may_go_on() {
    assert!(of(&[("MPI_Recv", &["recv 1 9"]), ("", &[])]).is_empty());
    assert!(of(&[("MPI_Recv", &["recv 1 9"]), ("MPI_Test", &["recv 0 9"])]).is_empty());
    assert!(of(&[("MPI_Recv", &["recv 1 9"]), ("MPI_Barrier", &["recv 0 9"])]).is_empty());
    // And all who wait for who may go on.
    assert!(of(&[("MPI_Recv", &["recv 1 9"]), ("MPI_Recv", &["recv 2 9"]), ("", &[])]).is_empty());
}

#[test]
fn a_wildcard_waits_for_all() {
    let others: (&str, &[&str]) = ("MPI_Recv", &["recv 0 9"]);
    assert_eq!(of(&[("MPI_Recv", &["recv any 9"]), others, others]), [0, 1, 2]);
    assert!(of(&[("MPI_Recv", &["recv any 9"]), others, ("", &[])]).is_empty());
}

#[test]
fn one_of_several_requests_is_enough() {
    let waiting: (&str, &[&str]) = ("MPI_Recv", &["recv 0 9"]);
    assert_eq!(of(&[("MPI_Waitall", &["recv 1 9", "send 2 9"]), waiting, ("MPI_Recv", &["recv 0 8"])]), [0, 1, 2]);
    assert!(of(&[("MPI_Waitall", &["recv 1 9", "recv 2 9"]), waiting, ("", &[])]).is_empty());
    // Requests that are complete are no way out, and no wait either.
    assert_eq!(of(&[("MPI_Waitall", &["recv 1 9", "recv 2 9 complete"]), waiting, ("", &[])]), [0, 1]);
    assert!(of(&[("MPI_Wait", &["recv 1 9 complete"]), waiting]).is_empty());
}

#[test]
fn requests_that_no_queue_shows_are_a_way_out() {
    let mut all = job(&[("MPI_Wait", &["recv 1 9"]), ("MPI_Recv", &["recv 0 9"])]);
    assert_eq!(deadlocked(&all), [0, 1]);
    all[0].imports = Some(vec!["MPI_Irecv".into(), "MPI_Ibarrier".into()]);
    assert!(deadlocked(&all).is_empty());
    all[0].imports = None;
    assert!(deadlocked(&all).is_empty());
    // They do not matter to who is in MPI_Recv.
    all[0].threads = vec![thread(100, "MPI_Recv")];
    assert_eq!(deadlocked(&all), [0, 1]);
}

#[test]
fn what_is_not_known_is_no_deadlock() {
    let both = || job(&[("MPI_Recv", &["recv 1 9"]), ("MPI_Recv", &["recv 0 9"])]);
    let unsure = |change: fn(&mut Snapshot)| {
        let mut all = both();
        change(&mut all[0]);
        assert!(deadlocked(&all).is_empty());
    };
    unsure(|s| s.queues = None);
    unsure(|s| s.rank = None);
    unsure(|s| s.world = "another".into());
    unsure(|s| s.no_stacks = Some("not permitted".into()));
    unsure(|s| s.threads.iter_mut().for_each(|t| t.waits = Some(false)));
    unsure(|s| s.queues.iter_mut().for_each(|q| q.fingerprint = None));
    unsure(|s| s.threads.push(thread(7, "MPI_Iprobe")));
    unsure(|s| s.threads.push(thread(7, "MPI_Recv")));
    let communicator = |s: &mut Snapshot, change: fn(&mut Communicator)| {
        s.queues.iter_mut().flat_map(|q| &mut q.communicators).for_each(change);
    };
    let mut all = both();
    communicator(&mut all[0], |c| c.inter = None);
    assert!(deadlocked(&all).is_empty());
    let mut all = both();
    communicator(&mut all[0], |c| c.receives.operations[0].status = Status::Matched);
    assert!(deadlocked(&all).is_empty());
    let mut all = both();
    communicator(&mut all[0], |c| c.receives.operations[0].world_peer = None);
    assert!(deadlocked(&all).is_empty());
    let mut all = both();
    all[0].queues.iter_mut().for_each(|q| q.changing = true);
    assert!(deadlocked(&all).is_empty());
    assert!(deadlocked(&both()[..1]).is_empty(), "rank 1 was not looked at");
}
