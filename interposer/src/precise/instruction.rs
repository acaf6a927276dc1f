//! How many bytes an instruction accesses, which the processor does not say when it traps.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, Register};
use recorder::in_flight::{Access, How};
use recorder::memory;

/// No instruction is longer.
const LONGEST: usize = 15;
const PAGE: u64 = 4096;
const WORD: u64 = 8;

/// The bytes that an access was noted to have used, from its address on. It is certain that all of them were.
pub(super) fn bytes_of(access: &Access) -> u64 {
    let is_known = access.bytes != 0 || !matches!(access.how, How::Load | How::Store);
    if is_known {
        return access.bytes;
    }
    let [first, ..] = access.frames;
    let bytes = accessed_at(first.saturating_sub(1)).unwrap_or(1);
    // A vector may have begun on the page before, which was not protected. Compilers align what is no longer than a word.
    if bytes > WORD && access.address.is_multiple_of(PAGE) { 1 } else { bytes }
}

/// The bytes that the instruction at an address accesses; `None` if that depends on more than the instruction.
fn accessed_at(address: u64) -> Option<u64> {
    let mut code = [0; LONGEST];
    // Behind the code there may be nothing.
    let there = (1..=LONGEST).rev().find(|n| code.get_mut(..*n).is_some_and(|part| memory::read(address, part)))?;
    accessed(code.get(..there)?, address)
}

fn accessed(code: &[u8], address: u64) -> Option<u64> {
    let instruction = Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode();
    let is_whole = instruction.code() != Code::INVALID && !is_partial(&instruction);
    let bytes = instruction.memory_size().size() as u64;
    (is_whole && bytes > 0).then_some(bytes)
}

/// May the instruction leave out some of the bytes?
fn is_partial(instruction: &Instruction) -> bool {
    use Mnemonic::{Maskmovdqu, Maskmovq, Vmaskmovdqu, Vmaskmovpd, Vmaskmovps, Vpmaskmovd, Vpmaskmovq};
    let is_masked = instruction.op_mask() != Register::None
        || matches!(
            instruction.mnemonic(),
            Maskmovdqu | Maskmovq | Vmaskmovdqu | Vmaskmovpd | Vmaskmovps | Vpmaskmovd | Vpmaskmovq
        );
    is_masked || instruction.is_vsib()
}

#[cfg(test)]
mod tests {
    use super::accessed;

    #[test]
    fn instructions_tell_their_bytes() {
        let mov_byte: &[u8] = &[0x88, 0x07];
        let mov_8: &[u8] = &[0x48, 0x89, 0x07];
        let movups: &[u8] = &[0x0f, 0x11, 0x07];
        let rep_movsb: &[u8] = &[0xf3, 0xa4];
        let vmovups_32: &[u8] = &[0xc5, 0xfc, 0x11, 0x07];
        let vmaskmovps: &[u8] = &[0xc4, 0xe2, 0x7d, 0x2e, 0x07];
        let none: &[u8] = &[0x90];
        for (code, bytes) in [
            (mov_byte, Some(1)),
            (mov_8, Some(8)),
            (movups, Some(16)),
            (rep_movsb, Some(1)),
            (vmovups_32, Some(32)),
            (vmaskmovps, None),
            (none, None),
            (&mov_8[..2], None),
        ] {
            assert_eq!(accessed(code, 0x1000), bytes, "{code:x?}");
        }
    }
}
