//! Makes correct schedules.
//!
//! No deadlock, even if no message is buffered and every collective synchronises: an operation that may block needs
//! only operations that stand before it in the global order or, for the two sides of one exchange and the ranks of one
//! collective, beside it. Take the first operation in that order that is stuck: all that it needs has been reached.
//!
//! One possible match for every message: tags are given so that messages of one sender, receiver, communicator and tag
//! are sent in the order in which they are received. A receive gets a wildcard only if every message that it could take
//! comes from the same sender in the same order as the receives.

use super::random::Random;
use super::{
    Action, BASES, Collective, Data, End, Group, LAYOUTS, Look, Message, Mode, NOBODY, OPS, OPS_ANY_TYPE, Op, Schedule,
};

/// Collectives and what they need: (name, has a root, has an operation, may be in place, may have unlike layouts).
const COLLECTIVES: [(&str, bool, bool, bool, bool); 17] = [
    ("barrier", false, false, false, false),
    ("bcast", true, false, false, true),
    ("gather", true, false, true, true),
    ("scatter", true, false, false, true),
    ("allgather", false, false, true, true),
    ("alltoall", false, false, false, true),
    ("gatherv", true, false, false, false),
    ("scatterv", true, false, false, false),
    ("allgatherv", false, false, false, false),
    ("alltoallv", false, false, false, false),
    ("alltoallw", false, false, false, false),
    ("reduce", true, true, true, false),
    ("allreduce", false, true, true, false),
    ("scan", false, true, true, false),
    ("exscan", false, true, false, false),
    ("reduce_scatter_block", false, true, false, false),
    ("reduce_scatter", false, true, false, false),
];

const WAYS: [&str; 8] = ["wait", "test", "waitall", "testall", "waitany", "testany", "waitsome", "testsome"];

/// The rest of a message that is started now and matched later, for one side.
#[derive(Debug, Clone)]
enum Half {
    Blocking,
    Request(usize),
    Persistent(usize),
}

/// A message one side of which is still to be started.
struct Pending {
    message: usize,
    send_is_missing: bool,
    missing: Half,
    started: Half,
    mode: Mode,
    data: Data,
    elements: usize,
}

/// Two persistent requests that belong together.
struct Pair {
    group: usize,
    from: usize,
    to: usize,
    send: usize,
    recv: usize,
    channel: usize,
    elements: usize,
    /// Sides of the message under way that are not yet completed.
    busy: usize,
}

struct Generator {
    random: Random,
    schedule: Schedule,
    pending: Vec<Pending>,
    /// Requests of each rank whose operation can complete, with the persistent pair they belong to.
    completable: Vec<Vec<(usize, Option<usize>)>>,
    pairs: Vec<Pair>,
    requests: usize,
    channels: usize,
    ids: usize,
    /// The step of each operation: the operations of one step stand beside each other.
    steps: Vec<usize>,
    step: usize,
}

/// The correct schedule number `seed` for `ranks` ranks.
pub fn generate(seed: u64, ranks: usize) -> Schedule {
    let world = Group { slot: 0, members: (0..ranks).collect() };
    let schedule = Schedule {
        seed,
        ranks,
        groups: vec![world],
        ops: Vec::new(),
        messages: Vec::new(),
        collectives: Vec::new(),
        body: (0, 0),
        correct: true,
    };
    let mut g = Generator {
        random: Random::new(seed),
        schedule,
        pending: Vec::new(),
        completable: vec![Vec::new(); ranks],
        pairs: Vec::new(),
        requests: 0,
        channels: 0,
        ids: 0,
        steps: Vec::new(),
        step: 0,
    };
    g.communicators();
    g.schedule.body.0 = g.schedule.ops.len();
    for _ in 0..10 + g.random.below(16) {
        g.something();
    }
    g.finish();
    g.tags();
    g.wildcards();
    g.schedule
}

impl Generator {
    fn emit(&mut self, rank: usize, action: Action) -> usize {
        self.schedule.ops.push(Op { rank, action });
        self.steps.push(self.step);
        self.schedule.ops.len() - 1
    }

    fn request(&mut self) -> usize {
        self.requests += 1;
        self.requests - 1
    }

    fn id(&mut self) -> usize {
        self.ids += 1;
        self.ids - 1
    }

    fn channel(&mut self) -> usize {
        self.channels += 1;
        self.channels - 1
    }

    /// Makes up to three communicators besides MPI_COMM_WORLD.
    fn communicators(&mut self) {
        let ranks = self.schedule.ranks;
        for comm in 1..=self.random.below(4) {
            self.step += 1;
            let kind = self.random.below(4);
            let colors: Vec<Option<usize>> = (0..ranks)
                .map(|_| match kind {
                    0 | 1 => Some(0),
                    _ if self.random.chance(10) => None,
                    _ => Some(self.random.below(2)),
                })
                .collect();
            let keys: Vec<i32> =
                (0..ranks as i32).map(|r| if kind == 2 { self.random.below(3) as i32 } else { -r }).collect();
            for rank in 0..ranks {
                let action = match kind {
                    0 => Action::Dup { comm, parent: 0 },
                    _ => Action::Split { comm, parent: 0, color: colors[rank], key: keys[rank] },
                };
                self.emit(rank, action);
            }
            for color in 0..2 {
                let mut members: Vec<usize> = (0..ranks).filter(|&r| colors[r] == Some(color)).collect();
                if kind != 0 {
                    members.sort_by_key(|&r| (keys[r], r));
                }
                if !members.is_empty() {
                    self.schedule.groups.push(Group { slot: comm, members });
                }
            }
        }
    }

    fn something(&mut self) {
        self.step += 1;
        match self.random.below(100) {
            0..36 => self.message(),
            36..54 => self.go_on(),
            54..66 => self.complete(),
            66..74 => self.exchange(),
            74..80 => self.persistent(),
            80..83 => self.ready_send(),
            _ => self.collective(),
        }
    }

    fn data(&mut self) -> Data {
        let count = if self.random.chance(5) { 3000 } else { self.random.below(6) };
        if self.random.chance(8) {
            return Data { base: "pair", layout: self.random.pick(&["forth", "back"]), count };
        }
        Data { base: self.random.pick(&BASES), layout: self.random.pick(&LAYOUTS).0, count }
    }

    /// A description of at least `elements` elements of the same basic type, in some layout.
    fn room_for(&mut self, base: &'static str, elements: usize) -> Data {
        let layout = if base == "pair" { self.random.pick(&["forth", "back"]) } else { self.random.pick(&LAYOUTS).0 };
        let mut data = Data { base, layout, count: 0 };
        data.count = elements.div_ceil(data.per_item());
        if self.random.chance(20) {
            data.count += 1 + self.random.below(3);
        }
        data
    }

    /// A group and two of its members, which may be the same one if `also_self`.
    fn two_ranks(&mut self, also_self: bool) -> Option<(usize, usize, usize)> {
        let group = self.random.below(self.schedule.groups.len());
        let members = &self.schedule.groups[group].members;
        let (from, to) = (self.random.pick(members), self.random.pick(members));
        (from != to || also_self).then_some((group, from, to))
    }

    /// The end that `rank` talks to, with the tag still open: it holds the channel until [`Generator::tags`].
    fn end(&self, group: usize, peer: usize, channel: usize) -> End {
        let group = &self.schedule.groups[group];
        End { comm: group.slot, peer: Some(group.rank_of(peer)), tag: Some(channel as u32) }
    }

    fn message(&mut self) {
        let also_self = self.random.chance(5);
        let Some((group, from, to)) = self.two_ranks(also_self) else { return };
        let mode =
            self.random.pick(&[Mode::Standard, Mode::Standard, Mode::Standard, Mode::Synchronous, Mode::Buffered]);
        let mut data = self.data();
        if mode == Mode::Buffered {
            data.count = data.count.min(6);
        }
        let elements = data.elements();
        let channel = self.channel();
        self.schedule.messages.push(Message { group, from, to, send: 0, recv: 0, channel });
        let message = self.schedule.messages.len() - 1;

        let send = if self.random.chance(50) { Half::Blocking } else { Half::Request(self.request()) };
        let recv = if self.random.chance(50) { Half::Blocking } else { Half::Request(self.request()) };
        let (send_blocks, recv_blocks) =
            (matches!(send, Half::Blocking) && mode != Mode::Buffered, matches!(recv, Half::Blocking));
        if from == to && (send_blocks || recv_blocks) {
            // In a message to itself the side that may block comes second, and the other one does not block.
            let (send, recv) = (Half::Request(self.request()), Half::Request(self.request()));
            self.start_send(message, send.clone(), mode, &data);
            self.pending.push(Pending {
                message,
                send_is_missing: false,
                missing: recv,
                started: send,
                mode,
                data,
                elements,
            });
            return;
        }
        let send_first = if send_blocks { false } else { recv_blocks || self.random.chance(50) };
        if (send_blocks && recv_blocks) || self.random.chance(30) {
            // Side by side.
            if send_first {
                self.start_send(message, send.clone(), mode, &data);
            }
            self.start_recv(message, recv.clone(), &data, elements);
            if !send_first {
                self.start_send(message, send.clone(), mode, &data);
            }
            self.both_started(message, &send, &recv);
        } else if send_first {
            self.start_send(message, send.clone(), mode, &data);
            self.pending.push(Pending {
                message,
                send_is_missing: false,
                missing: recv,
                started: send,
                mode,
                data,
                elements,
            });
        } else {
            self.start_recv(message, recv.clone(), &data, elements);
            self.pending.push(Pending {
                message,
                send_is_missing: true,
                missing: send,
                started: recv,
                mode,
                data,
                elements,
            });
        }
    }

    fn start_send(&mut self, message: usize, half: Half, mode: Mode, data: &Data) {
        let m = self.schedule.messages[message].clone();
        let end = self.end(m.group, m.to, m.channel);
        let (data, id) = (data.clone(), message);
        let action = match half {
            Half::Blocking => Action::Send { mode, end, data, id },
            Half::Request(request) => Action::Isend { request, mode, end, data, id },
            Half::Persistent(pair) => {
                let p = &self.pairs[pair];
                Action::Start { request: p.send, id, elements: p.elements }
            }
        };
        self.schedule.messages[message].send = self.emit(m.from, action);
    }

    fn start_recv(&mut self, message: usize, half: Half, data: &Data, elements: usize) {
        let m = self.schedule.messages[message].clone();
        let end = self.end(m.group, m.from, m.channel);
        let (data, id) = (self.room_for(data.base, elements), message);
        let action = match half {
            Half::Blocking => {
                let looks =
                    [Look::Plain, Look::Plain, Look::Plain, Look::Probe, Look::Iprobe, Look::Mprobe, Look::Improbe];
                Action::Recv { look: self.random.pick(&looks), end, data, id, elements }
            }
            Half::Request(request) => Action::Irecv { request, end, data, id, elements },
            Half::Persistent(pair) => Action::Start { request: self.pairs[pair].recv, id, elements },
        };
        self.schedule.messages[message].recv = self.emit(m.to, action);
    }

    fn both_started(&mut self, message: usize, send: &Half, recv: &Half) {
        let m = self.schedule.messages[message].clone();
        for (half, rank, is_send) in [(send, m.from, true), (recv, m.to, false)] {
            match half {
                Half::Blocking => {}
                Half::Request(request) => self.completable[rank].push((*request, None)),
                Half::Persistent(pair) => {
                    let p = &self.pairs[*pair];
                    self.completable[rank].push((if is_send { p.send } else { p.recv }, Some(*pair)));
                }
            }
        }
    }

    /// Starts the missing side of some message.
    fn go_on(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let p = self.pending.swap_remove(self.random.below(self.pending.len()));
        if p.send_is_missing {
            self.start_send(p.message, p.missing.clone(), p.mode, &p.data);
            self.both_started(p.message, &p.missing, &p.started);
        } else {
            self.start_recv(p.message, p.missing.clone(), &p.data, p.elements);
            self.both_started(p.message, &p.started, &p.missing);
        }
    }

    /// Completes some requests of some rank.
    fn complete(&mut self) {
        let ranks: Vec<usize> = (0..self.schedule.ranks).filter(|&r| !self.completable[r].is_empty()).collect();
        if ranks.is_empty() {
            return;
        }
        let rank = self.random.pick(&ranks);
        let n = 1 + self.random.below(self.completable[rank].len());
        self.complete_some(rank, n);
    }

    fn complete_some(&mut self, rank: usize, n: usize) {
        let mut all = std::mem::take(&mut self.completable[rank]);
        self.random.shuffle(&mut all);
        self.completable[rank] = all.split_off(n);
        for pair in all.iter().filter_map(|(_, pair)| *pair) {
            self.pairs[pair].busy -= 1;
        }
        let how = self.random.pick(&WAYS);
        self.emit(rank, Action::Complete { how, requests: all.into_iter().map(|(request, _)| request).collect() });
    }

    /// MPI_Sendrecv along a ring or a chain, or MPI_Sendrecv_replace.
    fn exchange(&mut self) {
        let group = self.random.below(self.schedule.groups.len());
        let members = self.schedule.groups[group].members.clone();
        let n = members.len();
        let shift = 1 + self.random.below(n);
        let (closed, replace, mut data) = (self.random.chance(60), self.random.chance(30), self.data());
        if replace {
            // MPICH 4.0.2 takes a large message of a struct type for truncated here.
            data.count = data.count.min(6);
        }
        let channel = self.channel();
        let first = self.schedule.messages.len();
        // The message that each member sends: nobody sends over the end of a chain.
        let mut sends = vec![None; n];
        for (i, send) in sends.iter_mut().enumerate() {
            if closed || i + shift < n {
                let to = members[(i + shift) % n];
                *send = Some(self.schedule.messages.len());
                self.schedule.messages.push(Message { group, from: members[i], to, send: 0, recv: 0, channel });
            }
        }
        let nobody = End { comm: self.schedule.groups[group].slot, peer: Some(NOBODY), tag: Some(0) };
        for (i, &rank) in members.iter().enumerate() {
            let from = (i + n - shift % n) % n;
            let (out, back) = (sends[i], sends[from].filter(|_| closed || i >= shift));
            let end = |g: &Generator, peer: usize, m: Option<usize>| {
                m.map_or(nobody.clone(), |_| g.end(group, peer, channel))
            };
            let (out_end, back_end) = (end(self, members[(i + shift) % n], out), end(self, members[from], back));
            let (out_id, id) = (out.unwrap_or(first), back.unwrap_or(first));
            let elements = if back.is_some() { data.elements() } else { 0 };
            let action = if replace {
                Action::Replace { out: out_end, out_id, back: back_end, data: data.clone(), id, elements }
            } else {
                let room = self.room_for(data.base, data.elements());
                Action::Sendrecv {
                    out: out_end,
                    out_data: data.clone(),
                    out_id,
                    back: back_end,
                    data: room,
                    id,
                    elements,
                }
            };
            let op = self.emit(rank, action);
            if let Some(message) = out {
                self.schedule.messages[message].send = op;
            }
            if let Some(message) = back {
                self.schedule.messages[message].recv = op;
            }
        }
    }

    /// Starts a pair of persistent requests, which may have to be made first.
    fn persistent(&mut self) {
        let idle: Vec<usize> = (0..self.pairs.len()).filter(|&p| self.pairs[p].busy == 0).collect();
        let pair = if idle.is_empty() || self.random.chance(30) {
            let Some((group, from, to)) = self.two_ranks(false) else { return };
            let mut data = self.data();
            data.count = data.count.min(6);
            let mode = self.random.pick(&[Mode::Standard, Mode::Standard, Mode::Synchronous, Mode::Buffered]);
            let (send, recv, channel, elements) = (self.request(), self.request(), self.channel(), data.elements());
            let room = self.room_for(data.base, elements);
            let (send_end, recv_end) = (self.end(group, to, channel), self.end(group, from, channel));
            self.emit(from, Action::SendInit { request: send, mode, end: send_end, data });
            self.emit(to, Action::RecvInit { request: recv, end: recv_end, data: room });
            self.pairs.push(Pair { group, from, to, send, recv, channel, elements, busy: 0 });
            self.pairs.len() - 1
        } else {
            self.random.pick(&idle)
        };
        let Pair { group, from, to, channel, elements, .. } = self.pairs[pair];
        self.pairs[pair].busy = 2;
        self.schedule.messages.push(Message { group, from, to, send: 0, recv: 0, channel });
        let message = self.schedule.messages.len() - 1;
        let half = Half::Persistent(pair);
        let unused = Data { base: "int", layout: "one", count: 0 };
        let mut p = Pending {
            message,
            send_is_missing: false,
            missing: half.clone(),
            started: half.clone(),
            mode: Mode::Standard,
            data: unused.clone(),
            elements,
        };
        if self.random.chance(50) {
            self.start_send(message, half, Mode::Standard, &unused);
        } else {
            self.start_recv(message, half, &unused, elements);
            p.send_is_missing = true;
        }
        self.pending.push(p);
    }

    /// A ready send: the receive is posted, a barrier proves it, then the send starts.
    fn ready_send(&mut self) {
        let Some((group, from, to)) = self.two_ranks(false) else { return };
        let (data, channel, recv) = (self.data(), self.channel(), Half::Request(self.request()));
        self.schedule.messages.push(Message { group, from, to, send: 0, recv: 0, channel });
        let message = self.schedule.messages.len() - 1;
        self.start_recv(message, recv.clone(), &data, data.elements());
        self.step += 1;
        self.one_collective(0, "barrier", false);
        self.step += 1;
        let send = if self.random.chance(50) { Half::Blocking } else { Half::Request(self.request()) };
        self.start_send(message, send.clone(), Mode::Ready, &data);
        self.both_started(message, &send, &recv);
    }

    fn collective(&mut self) {
        let group = self.random.below(self.schedule.groups.len());
        let name = self.random.pick(&COLLECTIVES).0;
        let nonblocking = self.random.chance(35);
        self.one_collective(group, name, nonblocking);
    }

    fn one_collective(&mut self, group: usize, name: &str, nonblocking: bool) {
        let (name, _, reduces, in_place, unlike) = *COLLECTIVES.iter().find(|c| c.0 == name).expect("a collective");
        let Group { slot, members } = self.schedule.groups[group].clone();
        let root = self.random.below(members.len());
        let number = self.random.below(if reduces { 4 } else { BASES.len() });
        let base = BASES[number];
        let exact = matches!(base, "int" | "long");
        let ops: &[&str] = if exact { &OPS } else { &OPS_ANY_TYPE };
        let op = if reduces { self.random.pick(ops) } else { "-" };
        let in_place = in_place && self.random.chance(30);
        let plain = reduces || in_place;
        let layout = if plain { "one" } else { self.random.pick(&LAYOUTS).0 };
        let data = Data { base, layout, count: self.random.below(5) };
        let id = self.id();
        let mut places = Vec::new();
        for &rank in &members {
            let mut data = data.clone();
            if unlike && !plain {
                // The elements in another layout, where they fit exactly.
                let other = Data { base, layout: self.random.pick(&LAYOUTS).0, count: 0 };
                if data.elements().is_multiple_of(other.per_item()) {
                    data = Data { count: data.elements() / other.per_item(), ..other };
                }
            }
            let request = nonblocking.then(|| self.request());
            let action = Action::Collective(Collective { name, request, comm: slot, root, op, data, in_place, id });
            places.push(self.emit(rank, action));
            if let Some(request) = request {
                self.completable[rank].push((request, None));
            }
        }
        if !nonblocking {
            self.schedule.collectives.push((group, places));
        }
    }

    /// Starts what is missing, completes all requests, frees the persistent ones and the communicators.
    fn finish(&mut self) {
        while !self.pending.is_empty() {
            self.step += 1;
            self.go_on();
        }
        for rank in 0..self.schedule.ranks {
            while !self.completable[rank].is_empty() {
                self.step += 1;
                let n = 1 + self.random.below(self.completable[rank].len());
                self.complete_some(rank, n);
            }
        }
        for pair in std::mem::take(&mut self.pairs) {
            self.emit(pair.from, Action::FreeRequest { request: pair.send });
            self.emit(pair.to, Action::FreeRequest { request: pair.recv });
        }
        self.schedule.body.1 = self.schedule.ops.len();
        for group in self.schedule.groups.clone().iter().filter(|g| g.slot != 0) {
            for &rank in &group.members {
                self.emit(rank, Action::FreeComm { comm: group.slot });
            }
        }
        // Nobody goes to MPI_Finalize while others still communicate: mpirun of Open MPI 4.1 may crash when a rank
        // aborts at that time, as some of the mistakes make it do.
        self.step += 1;
        self.one_collective(0, "barrier", false);
        self.schedule.collectives.pop();
    }

    /// Whether `a` and `b`, of the same sender and receiver, are sent in the order in which they are received.
    fn in_order(&self, a: &Message, b: &Message) -> bool {
        (self.steps[a.send] < self.steps[b.send]) == (self.steps[a.recv] < self.steps[b.recv])
    }

    fn tags(&mut self) {
        let mut tags: Vec<Option<u32>> = vec![None; self.channels];
        for channel in 0..self.channels {
            let tag = self.random.below(4) as u32;
            let messages = &self.schedule.messages;
            let clash = messages.iter().filter(|m| m.channel == channel).any(|m| {
                messages
                    .iter()
                    .filter(|o| o.channel != channel && tags[o.channel] == Some(tag))
                    .filter(|o| (o.group, o.from, o.to) == (m.group, m.from, m.to))
                    .any(|o| !self.in_order(m, o))
            });
            tags[channel] = Some(if clash { 100 + channel as u32 } else { tag });
        }
        // Until now every end holds its channel in place of the tag.
        let set = |end: &mut End| {
            if end.peer != Some(NOBODY) {
                end.tag = end.tag.and_then(|channel| tags[channel as usize]);
            }
        };
        for op in &mut self.schedule.ops {
            match &mut op.action {
                Action::Send { end, .. }
                | Action::Recv { end, .. }
                | Action::Isend { end, .. }
                | Action::Irecv { end, .. }
                | Action::SendInit { end, .. }
                | Action::RecvInit { end, .. } => set(end),
                Action::Sendrecv { out, back, .. } | Action::Replace { out, back, .. } => {
                    set(out);
                    set(back);
                }
                _ => {}
            }
        }
    }

    fn wildcards(&mut self) {
        for m in self.schedule.messages.clone() {
            let (any_source, any_tag) = (self.random.chance(25), self.random.chance(25));
            let tag = |message: &Message| match &self.schedule.ops[message.send].action {
                Action::Send { end, .. } | Action::Isend { end, .. } => end.tag,
                Action::Sendrecv { out, .. } | Action::Replace { out, .. } => out.tag,
                Action::Start { request, .. } => self.schedule.ops.iter().find_map(|op| match &op.action {
                    Action::SendInit { request: r, end, .. } if r == request => end.tag,
                    _ => None,
                }),
                _ => None,
            };
            let mine = tag(&m);
            let unique = self.schedule.messages.iter().all(|o| {
                let same = o.send == m.send && o.recv == m.recv;
                let could_match = (o.group, o.to) == (m.group, m.to)
                    && (any_source || o.from == m.from)
                    && (any_tag || tag(o) == mine);
                same || !could_match || (o.from == m.from && self.in_order(o, &m))
            });
            if !unique {
                continue;
            }
            match &mut self.schedule.ops[m.recv].action {
                Action::Recv { end, .. }
                | Action::Irecv { end, .. }
                | Action::Sendrecv { back: end, .. }
                | Action::Replace { back: end, .. } => {
                    end.peer = end.peer.filter(|_| !any_source);
                    end.tag = end.tag.filter(|_| !any_tag);
                }
                _ => {}
            }
        }
    }
}
