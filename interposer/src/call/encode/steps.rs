//! The plans of a function in a form that is followed quickly: one small step a value, in which everything is settled that
//! the kind of the value and the family of the MPI library decide.

use super::{Encoder, Out, Words, followed};
use crate::mpi::abi::Abi;
use crate::mpi::handles;
use crate::mpi::library::MAX_ARGS;
use trace_format::mpi::{Kind, special};
use trace_format::plan::{Elem, Item, Shape};

/// The step for a value. Names that end in `At` are of values behind the pointer in the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Code {
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
struct Step {
    code: Code,
    param: u8,
    kind: Kind,
}

/// The values of a call in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    list: [Step; MAX_ARGS],
    len: u8,
    /// All values come from the argument words alone: equal words make equal bytes, as long as objects are what they were.
    pub(crate) are_by_words: bool,
    /// Nothing needs to be known of handles: [`Steps::write`] does it.
    pub(crate) are_plain: bool,
    /// Bytes of all values, if these do not depend on the call.
    pub(crate) bytes: Option<u16>,
}

impl Steps {
    pub(crate) fn of(items: &[Item], abi: &Abi) -> Steps {
        let nothing = Step { code: Code::Planned, param: u8::MAX, kind: Kind::Int };
        let (are_by_words, are_plain, bytes) = (true, true, Some(0));
        let mut steps = Steps { list: [nothing; MAX_ARGS], len: items.len() as u8, are_by_words, are_plain, bytes };
        for (place, (item, to)) in items.iter().zip(&mut steps.list).enumerate() {
            let simple = simple(item, abi);
            *to = simple.unwrap_or(Step { param: place as u8, ..nothing });
            steps.are_by_words &= matches!(item.shape, Shape::Arg(_)) && simple.is_some();
            steps.are_plain &= to.is_plain();
            steps.bytes = steps.bytes.zip(width(item)).map(|(all, one)| all + one);
        }
        assert!(items.len() <= MAX_ARGS, "a function has no more values than arguments");
        steps
    }

    #[inline(always)]
    fn list(&self) -> &[Step] {
        self.list.get(..usize::from(self.len)).unwrap_or(&[])
    }

    /// Writes the values of a call, of which nothing but their words is needed, to where there is room for them. Where they
    /// end.
    #[inline(always)]
    pub(crate) fn write(&self, to: *mut u8, abi: &Abi, words: &Words, valid: bool) -> *mut u8 {
        let mut out = Out(to);
        let word = |step: &Step| words.get(usize::from(step.param) % MAX_ARGS).copied().unwrap_or(0);
        // Mostly it is one.
        if self.len == 1 {
            let [step, ..] = &self.list;
            step.write(&mut out, abi, word(step), valid);
            return out.0;
        }
        for step in self.list() {
            step.write(&mut out, abi, word(step), valid);
        }
        out.0
    }
}

fn width(item: &Item) -> Option<u16> {
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

impl Step {
    fn is_plain(&self) -> bool {
        use Code::*;
        !matches!(self.code, Handle4 | Handle8 | HandleAt4 | HandleAt8 | Planned)
    }

    /// Writes a value that is plain ([`Step::is_plain`]), whose argument is `word`. `valid`: an output means something.
    #[inline(always)]
    fn write(&self, out: &mut Out, abi: &Abi, word: u64, valid: bool) {
        let at = if valid { followed(abi, word) } else { 0 };
        // SAFETY: the program passed the address to MPI as that of a value of this size.
        let load4 = || if at == 0 { 0 } else { unsafe { (at as *const u32).read_unaligned() } };
        // SAFETY: as above.
        let load8 = || if at == 0 { 0 } else { unsafe { (at as *const u64).read_unaligned() } };
        match self.code {
            Code::Int => out.put4(word as u32),
            Code::Long => out.put8(word),
            Code::Rank => out.put4(abi.rank(word as i32) as u32),
            Code::Tag => out.put4(abi.tag(word as i32) as u32),
            Code::Buffer => out.put8(abi.buffer(word) as u64),
            Code::IntAt => out.put4(load4()),
            Code::LongAt => out.put8(load8()),
            Code::RankAt if at == 0 => out.put4(0),
            Code::RankAt => out.put4(abi.rank(load4() as i32) as u32),
            Code::TagAt if at == 0 => out.put4(0),
            Code::TagAt => out.put4(abi.tag(load4() as i32) as u32),
            Code::RequestAt4 | Code::RequestAt8 if at == 0 => out.put8(0),
            Code::RequestAt4 => out.put8(raw_request(load4().into())),
            Code::RequestAt8 => out.put8(raw_request(load8())),
            Code::SlotAndRequest4 | Code::SlotAndRequest8 if at == 0 => {
                out.put8(0);
                out.put8(0);
            }
            Code::SlotAndRequest4 => {
                out.put8(at);
                out.put8(raw_request(load4().into()));
            }
            Code::SlotAndRequest8 => {
                out.put8(at);
                out.put8(raw_request(load8()));
            }
            Code::StatusAt if at == 0 => {
                out.put8(0);
                out.put8(0);
            }
            Code::StatusAt => out.put_status(abi, at),
            Code::Handle4 | Code::Handle8 | Code::HandleAt4 | Code::HandleAt8 | Code::Planned => {}
        }
    }
}

impl Encoder<'_> {
    #[inline(always)]
    pub(super) fn follow(&mut self, steps: &Steps, items: &[Item], valid: bool) {
        for step in steps.list() {
            self.step(*step, items, valid);
        }
    }

    #[inline(always)]
    fn step(&mut self, step: Step, items: &[Item], valid: bool) {
        let Step { code, param, kind } = step;
        let param = usize::from(param);
        let word = self.words.get(param % MAX_ARGS).copied().unwrap_or(0);
        // Where an output is, if it means anything.
        let at = if valid { followed(self.abi, word) } else { 0 };
        match code {
            Code::Handle4 => self.put_handle(kind, word & 0xffff_ffff),
            Code::Handle8 => self.put_handle(kind, word),
            Code::HandleAt4 | Code::HandleAt8 if at == 0 => self.out.put4(0),
            // SAFETY: the program passed the address to MPI as that of a handle of this size.
            Code::HandleAt4 => self.put_handle(kind, unsafe { (at as *const u32).read_unaligned() }.into()),
            // SAFETY: as above.
            Code::HandleAt8 => self.put_handle(kind, unsafe { (at as *const u64).read_unaligned() }),
            Code::Planned => items.get(param).into_iter().for_each(|item| self.item(item, valid)),
            _ => step.write(&mut self.out, self.abi, word, valid),
        }
    }
}

/// A request in neutral form.
#[inline(always)]
fn raw_request(handle: u64) -> u64 {
    const _: () = assert!(special::REQUEST_NULL == 0);
    if handles::is_null_request(handle) { 0 } else { handle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::encode::encoder;
    use crate::call::info;
    use crate::mpi::abi;

    /// Each value that has a step of its own, for every family.
    #[test]
    fn steps_do_what_the_plans_say() {
        let mut seed = 1u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        let mut handles = handles::Cache::new();
        let mut compared = 0;
        for abi in abi::all() {
            for info in &info::all(abi, info::NOTHING_SAID) {
                let both = [(&info.ins, &info.plan.ins), (&info.outs, &info.plan.outs)];
                for (steps, items) in both {
                    assert_eq!(steps.list().len(), items.len());
                    for (step, item) in steps.list().iter().zip(items).filter(|(step, _)| step.code != Code::Planned) {
                        for round in 0..40 {
                            let value = |n: u64| n.wrapping_sub(6);
                            let memory: [u64; 8] =
                                std::array::from_fn(|_| value(random(12)) & (u64::MAX >> random(64)));
                            let mut words: Words = std::array::from_fn(|_| value(random(12)));
                            if !matches!(item.shape, Shape::Arg(_)) {
                                // Addresses, and what libraries have in the place of one.
                                let none = [0, 1, 5, u64::MAX];
                                words[item.param] = match random(8) as usize {
                                    n if n < none.len() => none[n],
                                    _ => memory.as_ptr() as u64,
                                };
                            }
                            let valid = round % 4 > 0 || std::ptr::eq(items, &info.plan.ins);
                            let mut bytes = [[0xeeu8; 64]; 2];
                            let mut lengths = [0; 2];
                            for (way, (bytes, length)) in bytes.iter_mut().zip(&mut lengths).enumerate() {
                                let mut encoder = encoder(bytes.as_mut_ptr(), &mut handles, info, abi, &words);
                                match way {
                                    0 => encoder.step(*step, items, valid),
                                    _ => encoder.item(item, valid),
                                }
                                *length = encoder.out.0 as usize - bytes.as_ptr() as usize;
                            }
                            assert_eq!(lengths[0], lengths[1], "{} {item:?}", info.row.name);
                            assert_eq!(bytes[0], bytes[1], "{} {item:?} {words:?}", info.row.name);
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }
}
