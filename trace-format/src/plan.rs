//! Which values of a call are recorded, in which order and width: derived from the function's row once, used by the
//! interposer to encode and by the reader to decode.

use crate::mpi::{Dir, FUNCTIONS, Kind, Param};
use std::sync::OnceLock;

/// How one element is stored and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elem {
    /// 4-byte integer of this kind (ranks and tags in neutral form).
    I32(Kind),
    /// 8-byte integer.
    I64(Kind),
    /// Definition id (4 bytes) of a handle of this kind.
    Handle(Kind),
    /// Raw request or message handle (8 bytes), 0 is the null handle.
    Raw(Kind),
    /// Status (16 bytes).
    Status,
}

impl Elem {
    /// Bytes in a record.
    pub const fn width(self) -> usize {
        match self {
            Elem::I32(_) | Elem::Handle(_) => 4,
            Elem::I64(_) | Elem::Raw(_) => 8,
            Elem::Status => crate::record::STATUS_BYTES,
        }
    }
}

/// Length of an array parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Len {
    /// A fixed number.
    Const(usize),
    /// Value of an integer parameter at the call.
    Param(usize),
    /// `n` times the value of an integer parameter.
    Times(usize, usize),
    /// Value behind an output parameter, known at the return.
    OutParam(usize),
    /// Group size of `comm`; of the remote group for an intercommunicator.
    CommSize,
    /// Size of the local group of `comm`.
    LocalSize,
    /// In-degree of the calling process in the topology of `comm` (MPI 4.1, 8.6).
    InNeighbors,
    /// Out-degree of the calling process in the topology of `comm` (MPI 4.1, 8.6).
    OutNeighbors,
    /// Dimensions of the Cartesian topology of `comm`.
    CartDims,
    /// Sum of an integer array parameter.
    Sum(usize),
    /// Last element of an integer array parameter.
    Last(usize),
}

/// The part of a parameter that is recorded in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The argument itself: an address or a value in the argument slot.
    Arg(Elem),
    /// One value behind the pointer.
    Deref(Elem),
    /// The pointer (8 bytes), then the value behind it (request passed by reference).
    SlotAndDeref(Elem),
    /// Length (u32) and elements.
    Array {
        /// Form of each element.
        elem: Elem,
        /// Number of elements.
        len: Len,
        /// The value is significant at the root alone, and is recorded there alone.
        at_root: bool,
    },
    /// The pointer (8 bytes), then length and elements (array of requests).
    SlotAndArray {
        /// Form of each element.
        elem: Elem,
        /// Number of elements.
        len: Len,
        /// The value is significant at the root alone, and is recorded there alone.
        at_root: bool,
    },
    /// Length (u32) and bytes of a C string; its length behind an output parameter, or NUL-terminated.
    Str {
        /// Length in bytes; `None`: it ends with NUL.
        len: Option<Len>,
        /// The value is significant at the root alone, and is recorded there alone.
        at_root: bool,
    },
    /// An array of C strings, joined by spaces: length (u32) and bytes. `count` is the parameter with its length;
    /// without one it ends with NULL.
    StrArray {
        /// Place of the parameter with the number of strings; `None`: NULL ends the array.
        count: Option<usize>,
        /// The value is significant at the root alone, and is recorded there alone.
        at_root: bool,
    },
}

/// One recorded value: which parameter, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Place of the parameter in [`crate::mpi::Function::params`].
    pub param: usize,
    /// Form of the value.
    pub shape: Shape,
}

/// The values that are recorded of a call of one function.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Values at the call.
    pub ins: Vec<Item>,
    /// Values at the return.
    pub outs: Vec<Item>,
    /// The size of the return's part is known at the call, so that the record can be completed in place.
    pub outs_sized: bool,
    /// Position of `root`, if the function has one.
    pub root: Option<usize>,
    /// Position of the communicator that lengths refer to.
    pub comm: Option<usize>,
}

/// Plans of all functions, by number.
pub fn plans() -> &'static [Plan] {
    static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();
    PLANS.get_or_init(|| FUNCTIONS.iter().map(|f| plan(f.params)).collect())
}

fn elem(kind: Kind) -> Elem {
    match kind {
        Kind::Request | Kind::Message => Elem::Raw(kind),
        Kind::Status => Elem::Status,
        k if k.is_handle() => Elem::Handle(k),
        k if k.width() == 4 => Elem::I32(k),
        k => Elem::I64(k),
    }
}

/// Parses the table's notation of an array length. Panics on a row that is not in the notation: the test
/// `every_row_has_a_plan` keeps such a row out of the table.
fn parse_len(text: &str, params: &[Param]) -> (Len, bool) {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, at_root) = match text.strip_suffix("at root") {
        Some(rest) => (rest.trim(), true),
        None => (text.as_str(), false),
    };
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let index = |name: &str| {
        params.iter().position(|p| p.name == name).unwrap_or_else(|| panic!("length `{text}` names no parameter"))
    };
    let inside = |prefix: &str| compact.strip_prefix(prefix).and_then(|r| r.strip_suffix(')')).map(index);
    let len = match compact.as_str() {
        "comm_size" => Len::CommSize,
        "local_size" => Len::LocalSize,
        "in_neighbors" => Len::InNeighbors,
        "out_neighbors" => Len::OutNeighbors,
        "cart_ndims" => Len::CartDims,
        c if c.starts_with("sum(") => Len::Sum(inside("sum(").expect("sum(name)")),
        c if c.starts_with("last(") => Len::Last(inside("last(").expect("last(name)")),
        c if c.starts_with('*') => Len::OutParam(index(&c[1..])),
        c => match (c.parse::<usize>(), c.split_once('*')) {
            (Ok(n), _) => Len::Const(n),
            (_, Some((n, name))) => Len::Times(n.parse().expect("n*name"), index(name)),
            _ => {
                let i = index(c);
                // An output parameter's value is only there at the return, also where the star was left out.
                if params[i].dir == Dir::Out { Len::OutParam(i) } else { Len::Param(i) }
            }
        },
    };
    (len, at_root)
}

fn plan(params: &[Param]) -> Plan {
    let mut plan = Plan {
        outs_sized: true,
        root: params.iter().position(|p| p.kind == Kind::Root),
        comm: params.iter().position(|p| p.kind == Kind::Comm && p.dir != Dir::Out),
        ..Plan::default()
    };
    for (param, p) in params.iter().enumerate() {
        let mut at_call = |shape| plan.ins.push(Item { param, shape });
        let is_array = !p.len.is_empty();
        match p.kind {
            Kind::SendBuf | Kind::RecvBuf | Kind::Buf => at_call(Shape::Arg(Elem::I64(p.kind))),
            Kind::Pointer | Kind::Stream if p.dir == Dir::In => at_call(Shape::Arg(Elem::I64(p.kind))),
            Kind::Str if p.dir == Dir::In => at_call(Shape::Str { len: None, at_root: p.len.contains("at root") }),
            Kind::StrArray if p.dir == Dir::In => {
                let count = match is_array.then(|| parse_len(p.len, params).0) {
                    Some(Len::Param(count)) => Some(count),
                    _ => None,
                };
                at_call(Shape::StrArray { count, at_root: p.len.contains("at root") });
            }
            Kind::Str => {
                let len = is_array.then(|| parse_len(p.len, params).0);
                // Where the length is also an input, the string may be shorter than the length says after the call,
                // or not written at all.
                let both_ways = |l: &Len| matches!(l, Len::OutParam(i) | Len::Param(i) if params[*i].dir == Dir::InOut);
                if len.as_ref().is_some_and(both_ways) {
                    continue;
                }
                plan.outs.push(Item { param, shape: Shape::Str { len, at_root: false } });
                plan.outs_sized = false;
            }
            Kind::StrArray | Kind::StrArrays | Kind::FStatus | Kind::F08Status | Kind::Opaque | Kind::Callback => {
                at_call(Shape::Arg(Elem::I64(p.kind)));
            }
            kind => {
                let elem = elem(kind);
                let reference = matches!(kind, Kind::Request | Kind::Message);
                let at_return = if is_array {
                    let (len, at_root) = parse_len(p.len, params);
                    let array = Shape::Array { elem, len, at_root };
                    match p.dir {
                        Dir::In if kind == Kind::Request => at_call(Shape::SlotAndArray { elem, len, at_root }),
                        Dir::In => at_call(array),
                        Dir::InOut if kind == Kind::Request => at_call(Shape::SlotAndArray { elem, len, at_root }),
                        Dir::InOut => at_call(array),
                        Dir::Out => {}
                    }
                    (p.dir == Dir::Out || p.dir == Dir::InOut && kind != Kind::Request).then_some(array)
                } else {
                    match p.dir {
                        // Statuses are passed by reference even where MPI only reads them.
                        Dir::In if kind == Kind::Status => {}
                        Dir::In => at_call(Shape::Arg(elem)),
                        Dir::InOut if reference => at_call(Shape::SlotAndDeref(elem)),
                        Dir::InOut => at_call(Shape::Deref(elem)),
                        Dir::Out if kind == Kind::Request => {
                            at_call(Shape::Arg(Elem::I64(Kind::Pointer)));
                        }
                        Dir::Out => {}
                    }
                    // The value before the call is enough of an object that is freed or used up.
                    (p.dir == Dir::Out || p.dir == Dir::InOut && !kind.is_handle()).then_some(Shape::Deref(elem))
                };
                if let Some(shape) = at_return {
                    if let Shape::Array { len: Len::OutParam(_), .. } = shape {
                        plan.outs_sized = false;
                    }
                    plan.outs.push(Item { param, shape });
                }
            }
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::FnId;

    #[test]
    fn every_row_has_a_plan() {
        assert_eq!(plans().len(), FUNCTIONS.len());
        for (f, plan) in FUNCTIONS.iter().zip(plans()) {
            let has_comm_len = plan.ins.iter().chain(&plan.outs).any(|i| {
                matches!(
                    i.shape,
                    Shape::Array { len: Len::CommSize | Len::LocalSize | Len::InNeighbors | Len::OutNeighbors, .. }
                )
            });
            assert!(!has_comm_len || plan.comm.is_some(), "{}: a length refers to a missing communicator", f.name);
            for item in plan.ins.iter() {
                if let Shape::Array { len: Len::OutParam(_), .. } = item.shape {
                    panic!("{}: input array with an output length", f.name);
                }
            }
        }
    }

    #[test]
    fn waitsome_is_completed_by_a_record_of_its_own() {
        assert!(!plans()[FnId::MPI_Waitsome.index()].outs_sized);
        assert!(plans()[FnId::MPI_Waitall.index()].outs_sized);
        assert!(plans()[FnId::MPI_Recv.index()].outs_sized);
    }
}
