//! How a function finds its caller, worked out once from the tables that compilers write for exceptions (`.eh_frame`), for the
//! few forms that nearly all code has.

use crate::elf;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, Pointer, ReaderOffset, Register,
    RegisterRule, UnwindContext, UnwindContextStorage, UnwindExpression, UnwindSection, UnwindTableRow, X86_64,
};

type Section = EndianSlice<'static, LittleEndian>;
type Row<'a> = &'a UnwindTableRow<usize, Little>;

/// Room for the rules of a function. Threads may have a stack of 16 KiB, and gimli's own rooms are larger than that; whoever
/// needs more than this is not simple.
struct Little;

impl<T: ReaderOffset> UnwindContextStorage<T> for Little {
    type Rules = [(Register, RegisterRule<T>); 12];
    type Stack = [UnwindTableRow<T, Self>; 3];
}

/// Where the stack pointer of the caller is (the canonical frame address).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cfa {
    /// So far from the stack pointer.
    Stack(i64),
    /// So far from the frame pointer.
    Frame(i64),
    /// It is written so far from the frame pointer: functions that align their stack.
    InFrame(i64),
}

/// Where the caller's frame pointer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramePointer {
    Unchanged,
    /// So far from the stack pointer of the caller.
    Cfa(i64),
    /// So far from the frame pointer.
    Frame(i64),
}

/// From a function to its caller, whose return address lies right below the caller's stack pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) cfa: Cfa,
    pub(super) frame_pointer: FramePointer,
    /// Nobody has called it: the stack ends.
    pub(super) is_outermost: bool,
}

/// The rule at the call that returns to `address`; `None` if it is not one of the simple ones.
pub(super) fn rule(address: u64) -> Option<Rule> {
    let (mut found, at) = (None, address.checked_sub(1)?);
    elf::each_module(&mut |info| {
        let here = elf::holds(info, at);
        if here {
            found = in_module(info, at);
        }
        here
    });
    found
}

/// The module stays for as long as the loader shows it.
fn in_module(info: &libc::dl_phdr_info, address: u64) -> Option<Rule> {
    let headers = elf::headers(info);
    let header = headers.iter().find(|ph| ph.p_type == libc::PT_GNU_EH_FRAME)?;
    let start = info.dlpi_addr.wrapping_add(header.p_vaddr);
    let bases = BaseAddresses::default().set_eh_frame_hdr(start);
    let table = EhFrameHdr::new(mapped(start, header.p_memsz), LittleEndian).parse(&bases, 8).ok()?;
    let Pointer::Direct(frames) = table.eh_frame_ptr() else { return None };
    // Its size is told nowhere: at most it is what the loader has mapped.
    let segment = headers.iter().filter(|ph| ph.p_type == libc::PT_LOAD).find_map(|ph| {
        let start = info.dlpi_addr.wrapping_add(ph.p_vaddr);
        let end = start.wrapping_add(ph.p_filesz);
        (start..end).contains(&frames).then(|| end - frames)
    })?;
    let (bases, section) = (bases.set_eh_frame(frames), EhFrame::new(mapped(frames, segment), LittleEndian));
    let entry = table.table()?.fde_for_address(&section, &bases, address, EhFrame::cie_from_offset).ok()?;
    let is_usual = !entry.is_signal_trampoline() && entry.cie().return_address_register() == X86_64::RA;
    let mut context = UnwindContext::<usize, Little>::new_in();
    let row = entry.unwind_info_for_address(&section, &bases, &mut context, address).ok()?;
    if is_usual { simple(row, &section) } else { None }
}

/// Memory of a module that is loaded.
fn mapped(start: u64, size: u64) -> &'static [u8] {
    // SAFETY: the loader has mapped these bytes of a segment, and no module goes while it shows them (see `in_module`).
    unsafe { std::slice::from_raw_parts(start as *const u8, size as usize) }
}

/// The rule of a row, if it is one of those above.
fn simple(row: Row<'_>, section: &EhFrame<Section>) -> Option<Rule> {
    let cfa = match *row.cfa() {
        CfaRule::RegisterAndOffset { register: X86_64::RSP, offset } => Cfa::Stack(offset),
        CfaRule::RegisterAndOffset { register: X86_64::RBP, offset } => Cfa::Frame(offset),
        CfaRule::Expression(what) => match operations(what, section)? {
            (offset, [DEREFERENCE]) => Cfa::InFrame(offset),
            _ => return None,
        },
        _ => return None,
    };
    let frame_pointer = match of(row, X86_64::RBP) {
        RegisterRule::SameValue | RegisterRule::Undefined => FramePointer::Unchanged,
        RegisterRule::Offset(offset) => FramePointer::Cfa(offset),
        RegisterRule::Expression(what) => match operations(what, section)? {
            (offset, []) => FramePointer::Frame(offset),
            _ => return None,
        },
        _ => return None,
    };
    let is_outermost = match of(row, X86_64::RA) {
        RegisterRule::Undefined => true,
        RegisterRule::Offset(-8) => false,
        _ => return None,
    };
    Some(Rule { cfa, frame_pointer, is_outermost })
}

fn of(row: Row<'_>, register: Register) -> RegisterRule<usize> {
    row.register(register).unwrap_or(RegisterRule::SameValue)
}

const DEREFERENCE: u8 = gimli::DW_OP_deref.0;

/// The place so far from the frame pointer, and the operations on it; `None` if the expression begins with something else.
fn operations(what: UnwindExpression<usize>, section: &EhFrame<Section>) -> Option<(i64, &'static [u8])> {
    let bytes: &'static [u8] = what.get(section).ok()?.0.slice();
    let (first, rest) = bytes.split_first()?;
    let last = rest.iter().position(|b| b & 0x80 == 0)?;
    let (number, rest) = rest.split_at_checked(last + 1)?;
    // A signed number in groups of seven bits, the lowest first (LEB128); those of frames are short.
    if *first != gimli::DW_OP_breg6.0 || number.len() > 4 {
        return None;
    }
    let value = number.iter().rev().fold(0, |value: i64, b| value << 7 | i64::from(b & 0x7f));
    let bits = 64 - 7 * number.len() as u32;
    Some((value << bits >> bits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_no_module_has_no_rule() {
        assert_eq!(rule(0), None);
        assert_eq!(rule(17), None);
        static DATA: [u64; 2] = [0; 2];
        assert_eq!(rule(&raw const DATA as u64 + 8), None, "data is no function");
    }
}
