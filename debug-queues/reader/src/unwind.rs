//! Call stacks by call frame information (`.eh_frame`) alone: where a module has none for an address, the stack ends
//! there and is not complete. Nothing is guessed from frame pointers or from words that look like addresses.

use crate::modules::Module;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EndianArcSlice, EvaluationResult, Location, NativeEndian, Register, RegisterRule,
    UnwindContext, UnwindExpression, UnwindSection as _, Value,
};
use object::{Object as _, ObjectSection as _, ReadCache};
use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

type Reader = EndianArcSlice<NativeEndian>;

/// Numbers of the System V ABI for x86-64.
pub const RSP: usize = 7;
pub const RETURN_ADDRESS: usize = 16;
const REGISTERS: usize = 17;
/// Deeper recursions are cut.
const DEEPEST: usize = 512;

/// Registers by their DWARF numbers; `None`: not known here.
pub type Registers = [Option<u64>; REGISTERS];

/// The copy of a thread's stack.
#[derive(Debug, Clone)]
pub struct Stack {
    pub start: u64,
    pub bytes: Vec<u8>,
}

impl Stack {
    fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        Some(u64::from_ne_bytes(self.bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }
}

/// The stack of a thread: instruction pointers from the innermost frame outwards, and whether that is all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Addresses inside of the instruction that is being executed, or that called.
    pub addresses: Vec<u64>,
    pub complete: bool,
}

/// Unwinds stacks of one process.
#[derive(Debug)]
pub struct Unwinder<'a> {
    modules: &'a [Module],
    /// `None` for a module without frame information.
    frames: HashMap<PathBuf, Option<Frames>>,
}

#[derive(Debug)]
struct Frames {
    section: EhFrame<Reader>,
    bases: BaseAddresses,
}

impl<'a> Unwinder<'a> {
    pub fn new(modules: &'a [Module]) -> Unwinder<'a> {
        Unwinder { modules, frames: HashMap::new() }
    }

    pub fn trace(&mut self, registers: Registers, stack: &Stack) -> Trace {
        let mut trace = Trace { addresses: Vec::new(), complete: false };
        let mut registers = registers;
        let mut innermost = true;
        while let Some(address) = registers[RETURN_ADDRESS] {
            if address == 0 {
                trace.complete = true;
                break;
            }
            // The address behind a call may belong to the next function. (Frames of signal handlers, where that is
            // otherwise, end in the library's trampoline, which has a row for the address before as well.)
            let inside = if innermost { address } else { address - 1 };
            trace.addresses.push(inside);
            match self.step(inside, &registers, stack) {
                Step::Caller(next) if trace.addresses.len() < DEEPEST => registers = *next,
                Step::End => {
                    trace.complete = true;
                    break;
                }
                _ => break,
            }
            innermost = false;
        }
        trace
    }

    fn step(&mut self, address: u64, registers: &Registers, stack: &Stack) -> Step {
        let Some(module) = self.modules.iter().find(|m| m.contains(address)) else { return Step::Unknown };
        let frames = self.frames.entry(module.path.clone()).or_insert_with(|| Frames::of(module));
        match frames {
            Some(frames) => frames.step(address.wrapping_sub(module.bias), registers, stack).unwrap_or(Step::Unknown),
            None => Step::Unknown,
        }
    }
}

enum Step {
    Caller(Box<Registers>),
    /// The outermost frame.
    End,
    Unknown,
}

impl Frames {
    fn of(module: &Module) -> Option<Frames> {
        let cache = ReadCache::new(File::open(&module.file).ok()?);
        let file = object::File::parse(&cache).ok()?;
        let section = file.section_by_name(".eh_frame")?;
        let data: Arc<[u8]> = Arc::from(section.uncompressed_data().ok()?.into_owned());
        let mut bases = BaseAddresses::default().set_eh_frame(section.address());
        if let Some(text) = file.section_by_name(".text") {
            bases = bases.set_text(text.address());
        }
        Some(Frames { section: EhFrame::from(EndianArcSlice::new(data, NativeEndian)), bases })
    }

    /// Goes one frame outwards. `address` is one of the file.
    fn step(&self, address: u64, registers: &Registers, stack: &Stack) -> Option<Step> {
        let fde = self.section.fde_for_address(&self.bases, address, EhFrame::cie_from_offset).ok()?;
        let mut context = UnwindContext::new();
        let row = fde.unwind_info_for_address(&self.section, &self.bases, &mut context, address).ok()?;
        let encoding = fde.cie().encoding();
        let evaluate = |expression: &UnwindExpression<usize>, initial: Option<u64>| {
            self.evaluate(expression, encoding, initial, registers, stack)
        };
        let cfa = match &row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                get(registers, *register)?.checked_add_signed(*offset)?
            }
            CfaRule::Expression(expression) => evaluate(expression, None)?,
        };
        let mut next: Registers = [None; REGISTERS];
        for (number, next) in next.iter_mut().enumerate() {
            let register = Register(number as u16);
            *next = match row.register(register) {
                // Without a rule a register is kept, unless the ABI lets functions change it; then its value is of no
                // use to any caller. The return address has no value without a rule.
                None | Some(RegisterRule::SameValue) if number != RETURN_ADDRESS => registers[number],
                Some(RegisterRule::Offset(offset)) => stack.word(cfa.checked_add_signed(offset)?),
                Some(RegisterRule::ValOffset(offset)) => cfa.checked_add_signed(offset),
                Some(RegisterRule::Register(other)) => get(registers, other),
                Some(RegisterRule::Expression(e)) => evaluate(&e, Some(cfa)).and_then(|at| stack.word(at)),
                Some(RegisterRule::ValExpression(e)) => evaluate(&e, Some(cfa)),
                Some(RegisterRule::Undefined) if number == RETURN_ADDRESS => return Some(Step::End),
                _ => None,
            };
        }
        // The stack pointer of the caller is the canonical frame address, if nothing else is said.
        if row.register(gimli::X86_64::RSP).is_none() {
            next[RSP] = Some(cfa);
        }
        // Stacks grow downwards; a frame that does not is damaged, and would not end.
        let grows = next[RSP].zip(registers[RSP]).is_some_and(|(outer, inner)| outer > inner);
        next[RETURN_ADDRESS].filter(|_| grows)?;
        Some(Step::Caller(Box::new(next)))
    }

    fn evaluate(
        &self,
        expression: &UnwindExpression<usize>,
        encoding: gimli::Encoding,
        initial: Option<u64>,
        registers: &Registers,
        stack: &Stack,
    ) -> Option<u64> {
        let expression = expression.get(&self.section).ok()?;
        let mut evaluation = expression.evaluation(encoding);
        if let Some(initial) = initial {
            evaluation.set_initial_value(initial);
        }
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    evaluation.resume_with_register(Value::Generic(get(registers, register)?)).ok()?
                }
                EvaluationResult::RequiresMemory { address, size: 8, .. } => {
                    evaluation.resume_with_memory(Value::Generic(stack.word(address)?)).ok()?
                }
                _ => return None,
            };
        }
        match evaluation.as_result().last()?.location {
            Location::Address { address } => Some(address),
            _ => None,
        }
    }
}

fn get(registers: &Registers, register: Register) -> Option<u64> {
    registers.get(usize::from(register.0)).copied().flatten()
}
