//! The plans of a function in a form that is followed quickly: one small step a value, in which everything is settled that
//! the kind of the value and the family of the MPI library decide.

use crate::abi::Abi;
use crate::real::MAX_ARGS;
use trace_format::mpi::Kind;
use trace_format::plan::{Elem, Item, Shape};

/// What is done for a value. Names that end in `At` are of values behind the pointer in the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    Int,
    Long,
    Rank,
    Tag,
    Buffer,
    /// The number of an object, whose handle has 4 or 8 bytes.
    Handle4,
    Handle8,
    IntAt,
    LongAt,
    RankAt,
    TagAt,
    HandleAt4,
    HandleAt8,
    RequestAt4,
    RequestAt8,
    /// The pointer, then the request behind it.
    SlotAndRequest4,
    SlotAndRequest8,
    StatusAt,
    /// As the plan says, whatever it is: `param` is the place of the value in the plan.
    Planned,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) code: Code,
    pub(crate) param: u8,
    pub(crate) kind: Kind,
}

/// The values of a call in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    list: [Step; MAX_ARGS],
    len: u8,
    /// All values come from the argument words alone: equal words make equal bytes, as long as objects are what they were.
    pub(crate) are_by_words: bool,
    /// Bytes of all values, if these do not depend on the call.
    pub(crate) bytes: Option<u16>,
}

impl Steps {
    pub(crate) fn of(items: &[Item], abi: &Abi) -> Steps {
        let nothing = Step { code: Code::Planned, param: u8::MAX, kind: Kind::Int };
        let mut steps = Steps { list: [nothing; MAX_ARGS], len: items.len() as u8, are_by_words: true, bytes: Some(0) };
        for (place, (item, to)) in items.iter().zip(&mut steps.list).enumerate() {
            let simple = simple(item, abi);
            *to = simple.unwrap_or(Step { param: place as u8, ..nothing });
            steps.are_by_words &= matches!(item.shape, Shape::Arg(_)) && simple.is_some();
            steps.bytes = steps.bytes.zip(bytes(item)).map(|(all, one)| all + one);
        }
        assert!(items.len() <= MAX_ARGS, "a function has no more values than arguments");
        steps
    }

    #[inline(always)]
    pub(crate) fn list(&self) -> &[Step] {
        self.list.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

fn bytes(item: &Item) -> Option<u16> {
    match item.shape {
        Shape::Arg(elem) | Shape::Deref(elem) => Some(elem.width() as u16),
        Shape::SlotAndDeref(elem) => Some(8 + elem.width() as u16),
        _ => None,
    }
}

fn simple(item: &Item, abi: &Abi) -> Option<Step> {
    use Code::*;
    let by_size = |kind, four, eight| if abi.handle_bytes(kind) == 4 { four } else { eight };
    let (code, kind) = match item.shape {
        Shape::Arg(elem) => match elem {
            Elem::I32(kind @ (Kind::Rank | Kind::Root)) => (Rank, kind),
            Elem::I32(kind @ Kind::Tag) => (Tag, kind),
            Elem::I32(kind) => (Int, kind),
            Elem::I64(kind @ (Kind::SendBuf | Kind::RecvBuf | Kind::Buf)) => (Buffer, kind),
            Elem::I64(kind) => (Long, kind),
            Elem::Handle(kind) => (by_size(kind, Handle4, Handle8), kind),
            Elem::Raw(_) | Elem::Status => return None,
        },
        Shape::Deref(elem) => match elem {
            Elem::I32(kind @ (Kind::Rank | Kind::Root)) => (RankAt, kind),
            Elem::I32(kind @ Kind::Tag) => (TagAt, kind),
            Elem::I32(kind) => (IntAt, kind),
            Elem::I64(Kind::SendBuf | Kind::RecvBuf | Kind::Buf) => return None,
            Elem::I64(kind) => (LongAt, kind),
            Elem::Handle(kind) => (by_size(kind, HandleAt4, HandleAt8), kind),
            Elem::Raw(kind @ Kind::Request) => (by_size(kind, RequestAt4, RequestAt8), kind),
            Elem::Raw(_) => return None,
            Elem::Status => (StatusAt, Kind::Status),
        },
        Shape::SlotAndDeref(Elem::Raw(kind @ Kind::Request)) => (by_size(kind, SlotAndRequest4, SlotAndRequest8), kind),
        _ => return None,
    };
    Some(Step { code, param: item.param as u8, kind })
}
