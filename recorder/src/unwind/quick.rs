//! Walks that come again: from each return address to the next by a rule that was worked out once.

use super::rules::{self, Cfa, FramePointer, Rule};
use crate::memory;
use rustc_hash::FxHashMap;

/// Programs have fewer; what was generated at run time might not.
const MOST_RULES: usize = 1 << 17;
/// Rules at hand: a power of two.
const RECENT: usize = 256;
/// Frames that are larger are looked at before they are skipped.
const LARGE: u64 = 64 << 10;
/// Stacks are no larger.
const HUGE: u64 = 1 << 32;

/// The rules that one thread has come across; `None`: there is no simple one.
#[derive(Default)]
pub struct Walker {
    rules: FxHashMap<u64, Option<Rule>>,
    /// The last ones, each at the place that its address gives it: most walks need no others.
    recent: Vec<(u64, Option<Rule>)>,
}

/// Where a walk is: a function that goes on at `address`.
#[derive(Clone, Copy)]
struct At {
    address: u64,
    stack_pointer: u64,
    frame_pointer: u64,
}

impl Walker {
    /// Modules have come and gone: other code may lie at the same addresses.
    pub fn forget(&mut self) {
        self.rules.clear();
        self.recent.clear();
    }

    /// Passes the return addresses on this thread's stack to `f` with the places they lie in, the innermost first, until it
    /// returns false or the stack ends. False if a function on the way is not simple: then another must walk.
    #[inline(never)]
    pub fn walk(&mut self, mut f: impl FnMut(u64, u64) -> bool) -> bool {
        let mut at = here();
        loop {
            let Some(rule) = self.rule(at.address) else { return false };
            if rule.is_outermost {
                return true;
            }
            let Some(caller) = at.caller(rule) else { return false };
            at = caller;
            if at.address == 0 || !f(at.stack_pointer - 8, at.address) {
                return true;
            }
        }
    }

    #[inline(always)]
    fn rule(&mut self, address: u64) -> Option<Rule> {
        match self.recent.get(place_of(address)) {
            Some((known, rule)) if *known == address => *rule,
            _ => self.other_rule(address),
        }
    }

    #[inline(never)]
    fn other_rule(&mut self, address: u64) -> Option<Rule> {
        let rule = match self.rules.get(&address) {
            Some(known) => *known,
            None => self.new_rule(address),
        };
        if self.recent.is_empty() {
            self.recent = vec![(0, None); RECENT];
        }
        if let Some(place) = self.recent.get_mut(place_of(address)) {
            *place = (address, rule);
        }
        rule
    }

    #[cold]
    fn new_rule(&mut self, address: u64) -> Option<Rule> {
        if self.rules.len() >= MOST_RULES {
            self.rules.clear();
        }
        let rule = rules::rule(address);
        self.rules.insert(address, rule);
        rule
    }
}

#[inline(always)]
fn place_of(address: u64) -> usize {
    // The upper bits of the product depend on all of the address.
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT.ilog2())) as usize
}

impl At {
    /// `None` if its frame is not a piece of a stack.
    #[inline(always)]
    fn caller(self, rule: Rule) -> Option<At> {
        let cfa = match rule.cfa {
            Cfa::Stack(offset) => self.stack_pointer.wrapping_add_signed(offset),
            Cfa::Frame(offset) => self.frame_pointer.wrapping_add_signed(offset),
            Cfa::InFrame(offset) => self.word(self.frame_pointer.wrapping_add_signed(offset))?,
        };
        let address = self.word(cfa.wrapping_sub(8))?;
        let frame_pointer = match rule.frame_pointer {
            FramePointer::Unchanged => self.frame_pointer,
            FramePointer::Cfa(offset) => self.word(cfa.wrapping_add_signed(offset))?,
            FramePointer::Frame(offset) => self.word(self.frame_pointer.wrapping_add_signed(offset))?,
        };
        Some(At { address, stack_pointer: cfa, frame_pointer })
    }

    /// A word of its frame; `None` if it does not lie above the stack pointer, or far above in memory that is not there.
    #[inline(always)]
    fn word(self, place: u64) -> Option<u64> {
        let distance = place.checked_sub(self.stack_pointer).filter(|d| *d < HUGE && place.is_multiple_of(8))?;
        if distance >= LARGE && !memory::is_readable(&(place..place + 8)) {
            return None;
        }
        // SAFETY: it lies in the frame of a function that has not returned, as its compiler says.
        Some(unsafe { *(place as *const u64) })
    }
}

/// The function that this is compiled into.
#[inline(always)]
fn here() -> At {
    let (address, stack_pointer, frame_pointer): (u64, u64, u64);
    // SAFETY: registers are read, and nothing else.
    unsafe {
        std::arch::asm!(
            "lea {address}, [rip]",
            "mov {stack_pointer}, rsp",
            "mov {frame_pointer}, rbp",
            address = out(reg) address,
            stack_pointer = out(reg) stack_pointer,
            frame_pointer = out(reg) frame_pointer,
            options(nomem, nostack, preserves_flags),
        );
    }
    At { address, stack_pointer, frame_pointer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwind;

    /// Deep enough, by functions with frames of several sizes.
    fn deep(levels: usize, then: &mut dyn FnMut()) {
        let mut room = [levels as u8; 40_000];
        std::hint::black_box(&mut room[..levels * 2000 + 8]);
        if levels == 0 {
            then()
        } else {
            deep(levels - 1, then)
        }
        std::hint::black_box(&mut room);
    }

    #[test]
    fn it_finds_what_the_unwinder_of_the_system_finds() {
        for levels in [0, 3, 18] {
            deep(levels, &mut || {
                let (mut quick, mut slow) = (Vec::new(), Vec::new());
                let walker = &mut Walker::default();
                for _ in 0..2 {
                    quick.clear();
                    assert!(walker.walk(|place, address| {
                        quick.push((place + 8, address));
                        true
                    }));
                }
                unwind::walk(|frame| {
                    slow.push((frame.stack_pointer, frame.address));
                    true
                });
                // The innermost frames are those of the two walks; the last one of the other says that the stack ends.
                let common = quick.iter().rev().zip(slow.iter().rev().skip_while(|(_, a)| *a == 0));
                let same = common.take_while(|(a, b)| a == b).count();
                assert!(same + 4 > quick.len() && same > levels, "{quick:x?}\n{slow:x?}");
            });
        }
    }

    #[test]
    fn memory_that_is_no_stack_is_not_read() {
        let at = At { address: 1, stack_pointer: here().stack_pointer, frame_pointer: 16 };
        let rule = |cfa| Rule { cfa, frame_pointer: FramePointer::Unchanged, is_outermost: false };
        assert!(at.caller(rule(Cfa::Frame(16))).is_none(), "below");
        assert!(at.caller(rule(Cfa::InFrame(16))).is_none(), "below");
        assert!(at.caller(rule(Cfa::Stack(1 << 31))).is_none(), "far away");
        assert!(at.caller(rule(Cfa::Stack(9))).is_none(), "between words");
    }
}
