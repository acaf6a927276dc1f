//! Names of hosts.

use report::clean_line;
use std::collections::BTreeSet;

/// The names for people, from traces of somebody else maybe: some of them, if there are many.
pub fn list_hosts(all: &BTreeSet<&str>) -> String {
    const MOST: usize = 4;
    let shown: Vec<_> = all.iter().take(MOST).map(|host| clean_line(host)).collect();
    let more = match all.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    shown.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_hosts_are_counted() {
        assert_eq!(list_hosts(&BTreeSet::from(["b", "a"])), "a, b");
        assert_eq!(list_hosts(&BTreeSet::from(["a", "b", "c", "d", "e", "f"])), "a, b, c, d and 2 more");
    }
}
