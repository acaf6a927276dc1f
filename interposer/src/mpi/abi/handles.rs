//! Handles: which are predefined, and what one tells by itself.

use super::Abi;
use trace_format::mpi::Kind;

/// A predefined handle.
#[derive(Clone, Copy)]
pub(crate) enum Handle {
    Value(u64),
    /// The address of the object of this name, which is looked for in the global scope first: executables may have a
    /// copy of their own.
    AddressOf(&'static str),
}

impl Handle {
    /// `symbol` finds the address of a data symbol.
    pub(crate) fn value(self, symbol: impl FnOnce(&str) -> Option<u64>) -> Option<u64> {
        match self {
            Handle::Value(value) => Some(value),
            Handle::AddressOf(name) => symbol(name),
        }
    }
}

pub(crate) type Predefined = (&'static str, Handle);

/// The predefined handles of a family.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    pub(super) comm: &'static [Predefined],
    pub(super) group: &'static [Predefined],
    pub(super) datatype: &'static [Predefined],
    pub(super) op: &'static [Predefined],
    pub(super) win: &'static [Predefined],
    pub(super) file: &'static [Predefined],
    pub(super) session: &'static [Predefined],
    pub(super) message: &'static [Predefined],
    pub(super) request: &'static [Predefined],
    pub(super) info: &'static [Predefined],
    pub(super) errhandler: &'static [Predefined],
}

/// The nature of handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandleForm {
    /// Four bytes: bits 31 and 30 say what sort of handle it is (0: none), bits 29 to 26 the kind of object ([`CODES`]).
    Coded,
    /// The address of an object.
    Address,
    /// Eight bytes, of which small numbers are predefined handles and 0 is none. Nothing else is laid down.
    Opaque,
}

/// Numbers of kinds of objects in handles that are [`HandleForm::Coded`].
const CODES: [(Kind, u64); 10] = [
    (Kind::Comm, 1),
    (Kind::Group, 2),
    (Kind::Datatype, 3),
    (Kind::Errhandler, 5),
    (Kind::Op, 6),
    (Kind::Info, 7),
    (Kind::Win, 8),
    (Kind::Request, CODE_OF_REQUESTS),
    (Kind::Message, CODE_OF_REQUESTS),
    (Kind::Session, 14),
];
const CODE_OF_REQUESTS: u64 = 11;

/// The facts that a handle tells by itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// It may be right.
    Fits,
    /// It is the handle of another kind of object.
    Other(Kind),
    Garbage,
}

/// Addresses of a program are below this.
const END_OF_ADDRESSES: u64 = 1 << 47;
/// And nothing is mapped below this.
const FIRST_ADDRESS: u64 = 4096;

impl Abi {
    /// The predefined handles of a kind.
    pub(crate) fn predefined(&self, kind: Kind) -> &'static [Predefined] {
        let Handles { comm, group, datatype, op, win, file, session, message, request, info, errhandler } =
            self.handles;
        match kind {
            Kind::Comm => comm,
            Kind::Group => group,
            Kind::Datatype => datatype,
            Kind::Op => op,
            Kind::Win => win,
            Kind::File => file,
            Kind::Session => session,
            Kind::Message => message,
            Kind::Request => request,
            Kind::Info => info,
            Kind::Errhandler => errhandler,
            _ => &[],
        }
    }

    #[inline(always)]
    fn form(&self, kind: Kind) -> HandleForm {
        if kind == Kind::File { self.file_form } else { self.handle_form }
    }

    /// Bytes of a handle of this kind in memory.
    #[inline(always)]
    pub(crate) fn handle_bytes(&self, kind: Kind) -> usize {
        if self.form(kind) == HandleForm::Coded { 4 } else { 8 }
    }

    /// The part of an argument slot that is the handle: the upper half of a slot that holds a 4-byte handle is
    /// undefined (field notes, section 4).
    #[inline(always)]
    pub(crate) fn handle_arg(&self, kind: Kind, slot: u64) -> u64 {
        if self.handle_bytes(kind) == 4 { slot & 0xffff_ffff } else { slot }
    }

    /// Can a handle of one kind have the value of a handle of the other?
    pub(crate) fn may_be_alike(&self, a: Kind, b: Kind) -> bool {
        self.form(a) == self.form(b)
    }

    /// Does the value of a handle tell the kind of its object? Then nothing else need be asked.
    pub(crate) fn has_kinds_in_handles(&self, kind: Kind) -> bool {
        self.form(kind) == HandleForm::Coded
    }

    /// The facts that a handle of this kind tells by itself. `unreadable`: certainly nothing is mapped at an address.
    pub(crate) fn told_by(&self, kind: Kind, handle: u64, unreadable: impl FnOnce(u64) -> bool) -> Told {
        let is_garbage = match self.form(kind) {
            HandleForm::Coded => return told_by_code(kind, handle),
            HandleForm::Address => handle < FIRST_ADDRESS || unreadable(handle),
            HandleForm::Opaque => handle == 0,
        };
        if is_garbage { Told::Garbage } else { Told::Fits }
    }

    /// Do the handles of requests in an array look like such? Cheap, and no proof.
    ///
    /// # Safety
    /// There are so many handles at the address.
    #[inline(always)]
    pub(crate) unsafe fn look_like_requests(&self, base: u64, number: usize) -> bool {
        // SAFETY: the caller vouches for the array.
        (0..number).all(|i| unsafe {
            match self.handle_form {
                HandleForm::Coded => {
                    let handle = ((base + 4 * i as u64) as *const u32).read_unaligned();
                    u64::from(handle >> 26 & 15) == CODE_OF_REQUESTS
                }
                HandleForm::Address | HandleForm::Opaque => {
                    let handle = ((base + 8 * i as u64) as *const u64).read_unaligned();
                    // Objects of a library are aligned, also where handles need not be addresses.
                    let may_be_address = handle.is_multiple_of(8) && handle < END_OF_ADDRESSES;
                    handle != 0 && (handle < FIRST_ADDRESS || may_be_address)
                }
            }
        })
    }
}

fn told_by_code(kind: Kind, handle: u64) -> Told {
    let (sort, object) = (handle >> 30 & 3, handle >> 26 & 15);
    let Some((_, expected)) = CODES.iter().find(|(k, _)| *k == kind) else { return Told::Fits };
    if object == *expected {
        return if sort == 0 { Told::Garbage } else { Told::Fits };
    }
    let other = CODES.iter().find(|(_, code)| *code == object).filter(|_| handle != 0);
    other.map_or(Told::Garbage, |(other, _)| Told::Other(*other))
}
