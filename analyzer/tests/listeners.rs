//! Events that the engine passes to its listeners: small traces in the notation, in several interleavings.

use analyzer::testing::listen;
use engine::listeners::{CallSeen, Collective, Communicator, Half, Listener, Message, Returned};
use std::sync::{Arc, Mutex};

/// Everything that was told, in words. Calls are named by their lines in the text.
#[derive(Default)]
struct Log {
    calls: Vec<String>,
    traffic: Vec<String>,
    communicators: Vec<String>,
}

fn at(call: &CallSeen) -> String {
    format!("{}{}", call.site, if call.end.is_none() { "?" } else { "" })
}

/// `3-4`: begun in line 3, over in line 4; `3-`: never.
fn half(h: &Half) -> String {
    format!("{}-{}", at(&h.call), h.ended.as_ref().map(at).unwrap_or_default())
}

impl Listener for Log {
    fn call(&mut self, r: &Returned) {
        let class = r.class.map_or("open".to_owned(), |c| c.to_string());
        self.calls.push(format!("{} {} x{} {class}", at(&r.call), r.call.func.name(), r.polls + 1));
    }

    fn message(&mut self, Message { send, recv }: &Message) {
        assert_eq!((send.peer, send.comm, send.tag), (recv.call.rank, recv.comm, recv.tag), "{send:?} {recv:?}");
        assert_eq!(recv.peer, send.call.rank);
        let bytes = |h: &Half| h.bytes.map_or("?".to_owned(), |b| b.to_string());
        self.traffic.push(format!(
            "{} > {} tag {} bytes {}/{}",
            half(send),
            half(recv),
            send.tag,
            bytes(send),
            bytes(recv)
        ));
    }

    fn alone(&mut self, h: &Half, is_send: bool) {
        self.traffic.push(format!("{} alone {} peer {}", half(h), if is_send { "send" } else { "recv" }, h.peer));
    }

    fn collective(&mut self, c: &Collective) {
        let parts: Vec<String> = c.parts.iter().map(half).collect();
        self.traffic.push(format!("collective of {}: {}", c.size, parts.join(" ")));
    }

    fn communicator(&mut self, c: &Communicator) {
        self.communicators.push(format!("{:?} {} {}", c.kind, c.name.as_deref().unwrap_or("-"), c.ranks));
    }
}

/// The messages and collective operations that listeners get; the same in all interleavings.
fn traffic(text: &str) -> Vec<String> {
    let mut first: Option<(Vec<String>, Vec<String>)> = None;
    for order in 0..8 {
        let log = Arc::new(Mutex::new(Log::default()));
        listen(text, order, Box::new(log.clone()));
        let mut log = std::mem::take(&mut *log.lock().unwrap());
        log.traffic.sort();
        log.calls.sort();
        log.calls.dedup();
        match &first {
            None => first = Some((log.calls, log.traffic)),
            Some((calls, traffic)) => {
                assert_eq!((calls, traffic), (&log.calls, &log.traffic), "interleaving {order} of\n{text}");
            }
        }
    }
    first.unwrap().1
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(traffic(text.trim_start()), expected, "{text}");
}

#[test]
fn blocking_messages_begin_and_end_in_one_call() {
    check(
        "
0: MPI_Send(dest=1, tag=7, count=2) = ok
1: MPI_Recv(source=0, tag=7, count=9) = ok {status=0/7/8}
",
        &["1-1 > 2-2 tag 7 bytes 8/8"],
    );
}

#[test]
fn requests_end_in_the_call_that_completes_them() {
    check(
        "
0: MPI_Isend(dest=1, request=7) = ok {request=7}
0: MPI_Isend(dest=1, tag=1, request=8) = ok {request=8}
0: MPI_Test(request=7) = ok {flag=0}
0: MPI_Waitall(requests=[7,8]) = ok
1: MPI_Irecv(source=0, request=7) = ok {request=7}
1: MPI_Irecv(source=0, tag=1, request=8) = ok {request=8}
1: MPI_Wait(request=8) = ok {status=0/1/4}
1: MPI_Test(request=7) = ok {flag=1, status=0/0/4}
",
        &["1-4 > 5-8 tag 0 bytes 4/4", "2-4 > 6-7 tag 1 bytes 4/4"],
    );
}

#[test]
fn persistent_operations_begin_when_they_are_started() {
    check(
        "
0: MPI_Send_init(dest=1, request=7) = ok {request=7}
0: MPI_Start(request=7) = ok {request=7}
0: MPI_Wait(request=7) = ok
0: MPI_Startall(requests=[7]) = ok {requests=[7]}
0: MPI_Waitall(requests=[7]) = ok
0: MPI_Request_free(request=7) = ok
1: MPI_Recv_init(source=0, request=5) = ok {request=5}
1: MPI_Start(request=5) = ok {request=5}
1: MPI_Wait(request=5) = ok {status=0/0/4}
1: MPI_Start(request=5) = ok {request=5}
1: MPI_Wait(request=5) = ok {status=0/0/4}
1: MPI_Request_free(request=5) = ok
",
        &["2-3 > 8-9 tag 0 bytes 4/4", "4-5 > 10-11 tag 0 bytes 4/4"],
    );
}

#[test]
fn matched_probes_receive_by_the_call_that_takes_the_message() {
    check(
        "
0: MPI_Send(dest=1) = ok
0: MPI_Send(dest=1, tag=1) = ok
1: MPI_Mprobe(source=ANY, tag=ANY) = ok {message=m1, status=0/0/4}
1: MPI_Mrecv(message=m1) = ok {status=0/0/4}
1: MPI_Improbe(source=0, tag=1) = ok {flag=1, message=m2, status=0/1/4}
1: MPI_Imrecv(message=m2, request=5) = ok {request=5}
1: MPI_Wait(request=5) = ok {status=0/1/4}
",
        &["1-1 > 4-4 tag 0 bytes 4/4", "2-2 > 6-7 tag 1 bytes 4/4"],
    );
}

#[test]
fn a_sendrecv_is_two_messages() {
    check(
        "
0: MPI_Sendrecv(dest=1, source=1, sendcount=1, recvcount=2) = ok {status=1/0/8}
1: MPI_Sendrecv(dest=0, source=0, sendcount=2, recvcount=1) = ok {status=0/0/4}
",
        &["1-1 > 2-2 tag 0 bytes 4/4", "2-2 > 1-1 tag 0 bytes 8/8"],
    );
}

#[test]
fn wildcards_are_told_as_they_turned_out() {
    check(
        "
0: MPI_Recv(source=ANY, tag=ANY) = ok {status=2/5/4}
0: MPI_Recv(source=ANY, tag=ANY) = ok {status=1/4/4}
1: MPI_Send(dest=0, tag=4) = ok
2: MPI_Send(dest=0, tag=5) = ok
",
        &["3-3 > 2-2 tag 4 bytes 4/4", "4-4 > 1-1 tag 5 bytes 4/4"],
    );
}

#[test]
fn with_checksums_messages_are_told_once_too() {
    check(
        "
0: checksums
1: checksums
0: MPI_Isend(dest=1, request=7)
0: checksums sent all:4:1f
0: return = ok {request=7}
0: MPI_Wait(request=7) = ok
1: MPI_Recv(source=0)
1: checksums received all:4:1f
1: return = ok {status=0/0/4}
1: MPI_Send(dest=0, tag=1)
1: checksums sent all:4:2
1: return = ok
0: MPI_Mprobe(source=1, tag=1) = ok {message=m1, status=1/1/4}
0: MPI_Imrecv(message=m1, request=5) = ok {request=5}
0: MPI_Wait(request=5)
0: checksums received all:4:2
0: return = ok {status=1/1/4}
",
        &["10-10 > 14-15 tag 1 bytes 4/4", "3-6 > 7-7 tag 0 bytes 4/4"],
    );
}

#[test]
fn what_never_ended_has_no_end() {
    check(
        "
//! stopped
0: MPI_Isend(dest=1, tag=3, request=7) = ok {request=7}
0: MPI_Recv(source=1, tag=9)
1: MPI_Irecv(source=0, tag=3, request=5) = ok {request=5}
1: MPI_Recv(source=0, tag=8)
",
        &["2- > 4- tag 3 bytes 4/?", "3?- alone recv peer 1", "5?- alone recv peer 0"],
    );
}

#[test]
fn nobody_learns_the_end_of_a_freed_request() {
    check(
        "
0: MPI_Isend(dest=1, request=7) = ok {request=7}
0: MPI_Request_free(request=7) = ok
1: MPI_Recv(source=0) = ok {status=0/0/4}
",
        &["1- > 3-3 tag 0 bytes 4/4"],
    );
}

#[test]
fn cancelled_receives_are_no_messages() {
    check(
        "
0: MPI_Irecv(source=1, request=7) = ok {request=7}
0: MPI_Cancel(request=7) = ok
0: MPI_Wait(request=7) = ok {status=0/0/0/cancelled}
0: MPI_Recv(source=1) = ok {status=1/0/4}
1: MPI_Send(dest=0) = ok
",
        &["5-5 > 4-4 tag 0 bytes 4/4"],
    );
}

#[test]
fn collective_operations_have_all_their_parts() {
    check(
        "
0: MPI_Barrier() = ok
1: MPI_Barrier() = ok
0: MPI_Ibarrier(request=7) = ok {request=7}
1: MPI_Ibarrier(request=7) = ok {request=7}
0: MPI_Wait(request=7) = ok
1: MPI_Test(request=7) = ok {flag=0}
1: MPI_Wait(request=7) = ok
",
        // MPI_Finalize is none.
        &["collective of 2: 1-1 2-2", "collective of 2: 3-5 4-7"],
    );
    check(
        "
ranks 3
//! stopped
//! killed 0,1,2
0: MPI_Barrier() = ok
1: MPI_Barrier() = ok
2: MPI_Barrier() = ok
0: MPI_Bcast()
1: MPI_Bcast()
2: MPI_Recv(source=0)
",
        &["9?- alone recv peer 0", "collective of 3: 4-4 5-5 6-6", "collective of 3: 7?- 8?-"],
    );
}

#[test]
fn calls_are_told_when_they_return_and_open_ones_at_the_end() {
    let log = Arc::new(Mutex::new(Log::default()));
    let text = "//! stopped
0: MPI_Iprobe(source=1) = ok {flag=0} x99
0: MPI_Send(dest=1)
1: MPI_Comm_dup() = MPI_ERR_OTHER
1: MPI_Recv(source=0, tag=1)
0: return = ok
0: MPI_Recv(source=1)
";
    listen(text, 0, Box::new(log.clone()));
    let calls = &log.lock().unwrap().calls;
    let wanted =
        ["2 MPI_Iprobe x100 0", "4 MPI_Comm_dup x1 ", "3 MPI_Send x1 0", "7? MPI_Recv x1 open", "5? MPI_Recv x1 open"];
    assert_eq!(calls.len(), wanted.len(), "{calls:?}");
    assert!(calls.iter().zip(wanted).all(|(c, w)| c.starts_with(w)), "{calls:?}");
}

#[test]
fn communicators_are_told_with_their_names_and_ranks() {
    let log = Arc::new(Mutex::new(Log::default()));
    let text = "ranks 3
0: def comm c1 {0,2}
2: def comm c1 {0,2}
1: def comm c1 {1}
0: MPI_Comm_split(color=0) = ok {newcomm=c1}
2: MPI_Comm_split(color=0) = ok {newcomm=c1}
1: MPI_Comm_split(color=1) = ok {newcomm=c1}
0: MPI_Barrier(comm=c1) = ok
2: MPI_Barrier(comm=c1) = ok
";
    listen(text, 0, Box::new(log.clone()));
    let told = &log.lock().unwrap().communicators;
    assert_eq!(*told, ["Comm MPI_COMM_WORLD 0-2", "Comm - 0,2", "Comm - 1"]);
}

#[test]
fn all_listeners_are_told_the_same() {
    let logs = [Arc::new(Mutex::new(Log::default())), Arc::new(Mutex::new(Log::default()))];
    let all: Vec<Box<dyn Listener>> = logs.iter().map(|l| Box::new(l.clone()) as Box<dyn Listener>).collect();
    listen(
        "0: MPI_Send(dest=1) = ok\n1: MPI_Recv(source=0) = ok {status=0/0/4}\n0: MPI_Barrier() = ok\n1: MPI_Barrier() = ok\n",
        0,
        Box::new(all),
    );
    let [a, b] = logs.map(|l| std::mem::take(&mut *l.lock().unwrap()));
    assert_eq!((&a.calls, &a.traffic, &a.communicators), (&b.calls, &b.traffic, &b.communicators));
    assert_eq!((a.calls.len(), a.traffic.len(), a.communicators.len()), (6, 2, 1));
}
