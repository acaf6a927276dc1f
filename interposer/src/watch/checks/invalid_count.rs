//! `invalid-count`: see `trace_format::catalogue::INVALID_COUNT`.

use super::arguments::Exam;
use trace_format::catalogue::INVALID_COUNT;

/// Is a number of things negative?
pub(super) fn check(exam: &mut Exam, param: usize, array: bool) -> bool {
    let (value, element) = match array {
        false => (exam.int(param), None),
        true => {
            let list = exam.ints(param);
            let place = list.iter().position(|n| *n < 0);
            (place.and_then(|i| list.get(i)).copied().unwrap_or(0), place)
        }
    };
    if value >= 0 {
        return false;
    }
    let argument = exam.argument(param, element);
    exam.tell(&INVALID_COUNT, format!("{argument} is {value}; it must not be negative"))
}
