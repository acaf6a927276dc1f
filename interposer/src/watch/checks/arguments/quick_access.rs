//! The quick look at accesses to windows, which programs with one-sided communication make most often.

use super::{Exam, is_there};
use crate::call::access_places::is_no_op;
use crate::call::operands::ONE;
use crate::mpi::properties::Standing;
use trace_format::mpi::{Kind, predefined};

/// True if the arguments are all right; otherwise they have to be examined one by one.
#[inline(never)]
pub(super) fn passes(exam: &mut Exam) -> bool {
    let (abi, info) = (exam.call.abi, exam.call.info);
    let Some(places) = &info.access else { return false };
    if info.request.is_some() || info.rules.special || info.rules.meets {
        return false;
    }
    let window = exam.object(Kind::Win, places.window);
    let (Standing::Sound, Some(ranks)) = (window.standing, window.ranks) else { return false };
    let count = |exam: &Exam, param: Option<usize>| param.map_or(1, |param| exam.int(param));
    if !(0..i64::from(ranks)).contains(&exam.int(places.target)) || count(exam, places.count) < 0 {
        return false;
    }
    let buffers = &info.operands.list;
    let mut takes_nothing = false;
    if let Some(op) = places.op {
        let op = exam.object(Kind::Op, op);
        if op.standing != Standing::Sound || !(1..=predefined::OPS.len()).contains(&(op.id as usize)) {
            return false;
        }
        // From the origin, if there is a result.
        takes_nothing = is_no_op(op.id) && buffers.iter().any(|other| other.kind == Kind::RecvBuf);
    }
    let of_target = exam.object(Kind::Datatype, places.datatype);
    if of_target.standing != Standing::Sound || of_target.uncommitted {
        return false;
    }
    for (number, operand) in buffers.iter().enumerate() {
        let (is_read, address) = (operand.kind == Kind::SendBuf, exam.word(operand.param));
        if is_read && takes_nothing {
            continue;
        }
        // Buffers that begin at one address are looked at more closely.
        let is_alias = buffers.iter().take(number).any(|other| exam.word(other.param) == address);
        if is_alias || abi.is_in_place(address) || operand.many.is_some() {
            return false;
        }
        let count = count(exam, Some(operand.count).filter(|count| *count != ONE));
        let datatype = exam.object(Kind::Datatype, operand.datatype);
        let is_sound = datatype.standing == Standing::Sound && !datatype.uncommitted;
        if count < 0 || !is_sound || !is_there(&mut exam.thread.mappings, address, count, &datatype, !is_read) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::access_places::AccessPlaces;
    use crate::call::info::OnWindow;
    use crate::call::operands::Operands;
    use crate::call::rules::{Amount, RulesOnUse, Test};
    use trace_format::mpi::{Class, FUNCTIONS};
    use trace_format::plan::plans;

    /// The rules say more of no such function than is looked at here.
    #[test]
    fn nothing_is_passed_that_the_rules_ask_for() {
        let mut seen = 0;
        for (row, plan) in FUNCTIONS.iter().zip(plans()).filter(|(row, _)| row.class == Class::Rma) {
            let Some(places) = AccessPlaces::of(row) else { continue };
            assert_eq!(OnWindow::of(row), OnWindow::Accesses, "{}", row.name);
            let (rules, operands) = (RulesOnUse::of(row, false), Operands::of(row, plan));
            // Calls of it are not looked at.
            if rules.are_empty() {
                continue;
            }
            let counts = |count: usize| Some(count).filter(|count| *count != ONE);
            let all: Vec<_> = operands.list.iter().map(|o| (o.param, counts(o.count), o.datatype)).collect();
            let typed = |buffer: &crate::call::rules::Buffer| match buffer.amount {
                Amount::Typed { counts: [count, None], datatype, .. } => (buffer.param, count, datatype),
                _ => panic!("{}: {buffer:?}", row.name),
            };
            assert_eq!(rules.buffers.iter().map(typed).collect::<Vec<_>>(), all, "{}", row.name);
            for rule in &rules.rules {
                let of_buffers = |place: usize| all.iter().any(|(_, count, of)| *count == Some(place) || *of == place);
                let is_looked_at = match rule.test {
                    Test::Handle { kind: Kind::Win, array: false, .. } => rule.param == places.window,
                    Test::Handle { kind: Kind::Datatype, array: false, .. } => {
                        rule.param == places.datatype || of_buffers(rule.param)
                    }
                    Test::Rank { wildcard: false, array: false, .. } => rule.param == places.target,
                    Test::Count { array: false } => Some(rule.param) == places.count || of_buffers(rule.param),
                    Test::Op { datatype: None, one_sided: true } => Some(rule.param) == places.op,
                    _ => false,
                };
                assert!(is_looked_at, "{}: {rule:?}", row.name);
            }
            seen += 1;
        }
        assert!(seen > 8, "{seen}");
    }
}
