//! Numbers in words.

/// `1 error`, `2 errors`.
pub(crate) fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
