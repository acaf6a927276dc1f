//! One call whose arguments are being looked at: their values, and whether MPI looks at them at all.

use super::{Amount, Buffer, Part, Times, When};
use crate::call::access_places::is_no_op;
use crate::call::encode::encoder;
use crate::mpi::properties::{Properties, Standing};
use crate::mpi::words::{ask, handle_at};
use crate::mpi::{define, handles};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::{Finding, Spot};
use crate::watch::operands;
use smallvec::SmallVec;
use trace_format::catalogue::CheckInfo;
use trace_format::definition::FIRST_USER_ID;
use trace_format::mpi::special::{PROC_NULL, ROOT};
use trace_format::mpi::{Class, Dir, FnId, Kind};
use trace_format::plan::{Len, Shape};

/// Longer arrays are looked at in their first elements alone.
const MOST_ELEMENTS: usize = 4096;

/// The part of this process in a collective with a root.
#[derive(Clone, Copy)]
struct Sides {
    root: bool,
    leaf: bool,
}

pub(crate) struct Exam<'a, 'b> {
    pub(crate) thread: &'a mut Thread,
    pub(crate) call: &'a Call<'b>,
}

/// A handle that was passed to a function.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) param: usize,
    /// Its place in an array.
    pub(crate) element: Option<usize>,
    pub(crate) kind: Kind,
    pub(crate) handle: u64,
}

/// A piece of memory: its first byte and the one behind its last.
pub(crate) type Range = (u64, u64);

/// Most buffers are one.
pub(crate) type Ranges = SmallVec<[Range; 1]>;

impl<'a, 'b> Exam<'a, 'b> {
    pub(crate) fn new(thread: &'a mut Thread, call: &'a Call<'b>) -> Exam<'a, 'b> {
        Exam { thread, call }
    }

    pub(crate) fn function(&self) -> &'static str {
        self.call.info.row.name
    }

    pub(crate) fn name(&self, param: usize) -> &'static str {
        self.call.info.row.params.get(param).map_or("an argument", |p| p.name)
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.call.info.row.param(name)
    }

    pub(crate) fn word(&self, param: usize) -> u64 {
        self.call.words.get(param).copied().unwrap_or(0)
    }

    /// An address that may be followed.
    pub(crate) fn address(&self, param: usize) -> Option<u64> {
        let address = self.word(param);
        let library =
            address >= self.call.abi.lowest_address && address != u64::MAX && !handles::is_no_weights(address);
        library.then_some(address)
    }

    fn width(&self, param: usize) -> usize {
        self.call.info.row.params.get(param).map_or(4, |p| p.kind.width())
    }

    /// An integer argument.
    pub(crate) fn int(&self, param: usize) -> i64 {
        match self.width(param) {
            8 => self.word(param) as i64,
            _ => i64::from(self.word(param) as i32),
        }
    }

    /// The elements of an array of integers, as far as they are looked at.
    pub(crate) fn ints(&mut self, param: usize) -> Vec<i64> {
        let (Some(address), n) = (self.address(param), self.length(param)) else { return Vec::new() };
        let wide = self.width(param) == 8;
        let read = |i: u64| {
            // SAFETY: the program passed an array of this length.
            unsafe {
                match wide {
                    true => ((address + 8 * i) as *const i64).read_unaligned(),
                    false => i64::from(((address + 4 * i) as *const i32).read_unaligned()),
                }
            }
        };
        (0..n as u64).map(read).collect()
    }

    /// How many elements of an array are looked at.
    fn length(&mut self, param: usize) -> usize {
        self.elements(param).min(MOST_ELEMENTS)
    }

    /// How many elements an array has.
    pub(crate) fn elements(&mut self, param: usize) -> usize {
        let &Call { info, abi, words, .. } = self.call;
        let item = info.plan.ins.iter().chain(&info.plan.outs).find(|i| i.param == param);
        let (len, at_root) = match item.map(|i| i.shape) {
            Some(Shape::Array { len, at_root, .. } | Shape::SlotAndArray { len, at_root, .. }) => (len, at_root),
            _ => return 0,
        };
        // How many of the requests are complete is known when the call has returned.
        if let Len::OutParam(_) = len {
            let requests = info.row.params.iter().position(|p| p.kind == Kind::Request && p.dir != Dir::Out);
            return requests.map_or(0, |requests| self.elements(requests));
        }
        let handles = &mut self.thread.handles;
        encoder(std::ptr::null_mut(), handles, info, abi, words).length(len, at_root)
    }

    /// The nature of a handle.
    pub(crate) fn standing(&mut self, kind: Kind, handle: u64) -> Standing {
        self.thread.handles.standing(kind, handle)
    }

    pub(crate) fn properties(&mut self, kind: Kind, handle: u64) -> Properties {
        *self.thread.handles.properties(kind, handle)
    }

    /// The facts about the object of a parameter.
    pub(crate) fn object(&mut self, kind: Kind, param: usize) -> Properties {
        let handle = self.call.abi.handle_arg(kind, self.word(param));
        self.properties(kind, handle)
    }

    /// Is the buffer described by a datatype that the program has made?
    pub(crate) fn has_derived_type(&mut self, buffer: &Buffer) -> bool {
        match buffer.amount {
            Amount::Typed { datatype, .. }
            | Amount::Blocks { datatype, .. }
            | Amount::Sum { datatype, .. }
            | Amount::Own { datatype, .. } => self.object(Kind::Datatype, datatype).id >= FIRST_USER_ID,
            Amount::Bytes(_) | Amount::Unknown => false,
        }
    }

    /// The communicator of the call.
    pub(crate) fn comm(&mut self) -> Properties {
        self.object(Kind::Comm, self.call.info.rules.comm)
    }

    /// Does this process lead its side of the intercommunicator that the call makes?
    pub(crate) fn leads(&mut self) -> bool {
        let rank = match self.call.info.row.class {
            Class::IntercommFromGroups => {
                let group = self.call.abi.handle_arg(Kind::Group, self.word(0));
                let is_sound = self.properties(Kind::Group, group).standing == Standing::Sound;
                is_sound.then(|| ask(FnId::MPI_Group_rank, group) as i32)
            }
            _ => Some(self.comm()).filter(|comm| comm.standing == Standing::Sound).map(|comm| comm.rank),
        };
        self.place("local_leader").is_some_and(|p| rank.is_some_and(|rank| i64::from(rank) == self.int(p)))
    }

    /// Gives the handles of a parameter to `look`, until it has seen enough. `counts`: elements of which this array says
    /// zero are left out.
    pub(crate) fn handles(
        &mut self,
        param: usize,
        kind: Kind,
        variable: bool,
        array: bool,
        counts: Option<usize>,
        mut look: impl FnMut(&mut Self, Argument) -> bool,
    ) {
        let abi = self.call.abi;
        if !array {
            let handle = match variable {
                true => handle_at(abi, kind, self.word(param)),
                false => Some(abi.handle_arg(kind, self.word(param))),
            };
            if let Some(handle) = handle {
                look(self, Argument { param, element: None, kind, handle });
            }
            return;
        }
        let counts = counts.map(|counts| self.ints(counts));
        let (Some(address), n) = (self.address(param), self.length(param)) else { return };
        for i in 0..n {
            if counts.as_ref().is_some_and(|c| c.get(i).is_none_or(|c| *c == 0)) {
                continue;
            }
            let place = address + (i * abi.handle_bytes(kind)) as u64;
            let Some(handle) = handle_at(abi, kind, place) else { return };
            if !look(self, Argument { param, element: Some(i), kind, handle }) {
                return;
            }
        }
    }

    /// The part of this process in a collective with a root. Nothing is known of it if the communicator is not.
    fn sides(&mut self) -> Sides {
        let Some(root) = self.call.info.plan.root else { return Sides { root: true, leaf: true } };
        let comm = self.comm();
        let root = self.call.abi.rank(self.word(root) as i32);
        match comm.standing {
            Standing::Sound if comm.inter => Sides { root: root == ROOT, leaf: root >= 0 },
            Standing::Sound => Sides { root: root == comm.rank, leaf: true },
            _ => Sides { root: false, leaf: false },
        }
    }

    pub(crate) fn has_part(&mut self, part: Part) -> bool {
        match part {
            Part::Everywhere => true,
            Part::Root => self.sides().root,
            Part::Leaf => self.sides().leaf,
            Part::Member => {
                let sides = self.sides();
                sides.root || sides.leaf
            }
            Part::NotFirst => {
                let comm = self.comm();
                comm.standing == Standing::Sound && comm.rank != 0
            }
        }
    }

    /// Does MPI look at an argument?
    pub(crate) fn matters(&mut self, when: &When) -> bool {
        let abi = self.call.abi;
        let is_nobody = |place: usize| abi.rank(self.word(place) as i32) == PROC_NULL;
        let alone = match when.partners {
            [None, None] => false,
            partners => partners.into_iter().flatten().all(is_nobody),
        };
        let in_place = when.in_place.is_some_and(|p| abi.is_in_place(self.word(p)));
        let no_op = when.no_op.is_some_and(|p| is_no_op(self.object(Kind::Op, p).id));
        let nothing = matches!(self.call.info.row.class, Class::Mrecv(_)) && operands::takes_nothing(self.call);
        !alone && !in_place && !no_op && !nothing && self.has_part(when.part)
    }

    /// The memory that a buffer is, block by block: none if that is not known, or if it is empty.
    pub(crate) fn ranges(&mut self, buffer: &Buffer) -> Ranges {
        self.ranges_at(buffer, self.word(buffer.param))
    }

    /// The ranges of a buffer if it began at another address.
    pub(crate) fn ranges_at(&mut self, buffer: &Buffer, base: u64) -> Ranges {
        match buffer.amount {
            Amount::Typed { counts, datatype, times } => {
                let mut count = 1i64;
                for param in counts.iter().flatten() {
                    count = count.saturating_mul(self.int(*param));
                }
                let times = match times {
                    Times::One => 1,
                    Times::Group => {
                        let comm = self.comm();
                        let local = matches!(buffer.when.part, Part::Everywhere) && comm.inter;
                        comm.ranks.filter(|_| !local).map_or(0, i64::from)
                    }
                    Times::Neighbors => self.neighbors(buffer),
                };
                let datatype = self.object(Kind::Datatype, datatype);
                range(base, 0, count.saturating_mul(times), &datatype).into_iter().collect()
            }
            Amount::Sum { counts, datatype } => {
                let count = self.ints(counts).iter().fold(0i64, |sum, n| sum.saturating_add(*n));
                let datatype = self.object(Kind::Datatype, datatype);
                range(base, 0, count, &datatype).into_iter().collect()
            }
            Amount::Own { counts, datatype } => {
                let comm = self.comm();
                let rank = if comm.standing == Standing::Sound { comm.rank } else { -1 };
                let count = usize::try_from(rank).ok().and_then(|rank| self.ints(counts).get(rank).copied());
                let datatype = self.object(Kind::Datatype, datatype);
                range(base, 0, count.unwrap_or(0), &datatype).into_iter().collect()
            }
            Amount::Blocks { counts, displs, datatype } => self.blocks(base, counts, displs, datatype),
            Amount::Bytes(size) => {
                let size = self.int(size);
                let end = base.checked_add(size.max(0) as u64).filter(|_| size > 0);
                end.map(|end| (base, end)).into_iter().collect()
            }
            Amount::Unknown => Ranges::new(),
        }
    }

    fn blocks(&mut self, base: u64, counts: usize, displs: Option<usize>, datatype: usize) -> Ranges {
        let counts = self.ints(counts);
        let displs = displs.map(|d| self.ints(d)).unwrap_or_default();
        let one_each = self.call.info.row.params.get(datatype).is_some_and(|p| !p.len.is_empty());
        let mut types = Vec::new();
        if one_each {
            self.handles(datatype, Kind::Datatype, false, true, None, |exam, argument| {
                types.push(exam.properties(Kind::Datatype, argument.handle));
                true
            });
        } else {
            types.resize(counts.len(), self.object(Kind::Datatype, datatype));
        }
        let blocks = counts.iter().zip(&displs).zip(&types);
        // Displacements are in bytes where every block has a datatype of its own.
        blocks
            .filter_map(|((n, d), t)| range(base, if one_each { *d } else { d.checked_mul(t.extent)? }, *n, t))
            .collect()
    }

    /// With how many neighbours this process exchanges one element each.
    fn neighbors(&mut self, buffer: &Buffer) -> i64 {
        let comm = self.call.abi.handle_arg(Kind::Comm, self.word(self.call.info.rules.comm));
        if self.properties(Kind::Comm, comm).standing != Standing::Sound {
            return 0;
        }
        let neighbors = define::neighbors(self.call.abi, comm);
        let sends = self.call.info.row.params.get(buffer.param).is_some_and(|p| p.kind == Kind::SendBuf);
        let gathers = self.call.info.row.class.is_neighbor_gather();
        match (sends, gathers) {
            (true, true) => i64::from(!neighbors.destinations.is_empty()),
            (true, false) => neighbors.destinations.len() as i64,
            (false, _) => neighbors.sources.len() as i64,
        }
    }

    /// Tells a finding at this call. Always true.
    pub(crate) fn tell(&mut self, check: &'static CheckInfo, message: String) -> bool {
        let role = format!("calls {}", self.function());
        self.finding(check, message, &role).tell(self.thread);
        true
    }

    /// A finding of which this call is the first place.
    pub(crate) fn finding(&self, check: &'static CheckInfo, message: String, role: &str) -> Finding {
        Finding::new(check, message).at(Spot::of(self.thread, self.call), role)
    }

    /// The name of an argument: `array_of_types[2] of MPI_Type_create_struct`.
    pub(crate) fn argument(&self, param: usize, element: Option<usize>) -> String {
        let element = element.map_or(String::new(), |i| format!("[{i}]"));
        format!("{}{element} of {}", self.name(param), self.function())
    }
}

/// The numbers from 0 to below `end`, in words.
pub(crate) fn up_to(end: i64) -> String {
    match end {
        1 => "0".to_owned(),
        _ => format!("0 to {}", end - 1),
    }
}

/// The memory of `count` elements, `displacement` bytes behind an address.
fn range(base: u64, displacement: i64, count: i64, datatype: &Properties) -> Option<Range> {
    if datatype.standing != Standing::Sound || count <= 0 || datatype.bytes == 0 || datatype.true_extent <= 0 {
        return None;
    }
    let span = (count - 1).checked_mul(datatype.extent)?;
    let first = base.wrapping_add_signed(displacement).wrapping_add_signed(datatype.true_lb);
    // Elements may go downwards.
    let start = first.wrapping_add_signed(span.min(0));
    let end = start.checked_add((span.unsigned_abs()).checked_add(datatype.true_extent as u64)?)?;
    Some((start, end))
}
