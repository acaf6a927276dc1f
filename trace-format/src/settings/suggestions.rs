//! Names that a user may have meant by one that does not exist.

/// Up to three of `names` that are close to `name`, nearest first.
pub fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_ascii_lowercase();
    let limit = (name.len() / 3).max(1);
    let mut scored: Vec<(usize, &str)> = names
        .filter_map(|candidate| {
            let lower = candidate.to_ascii_lowercase();
            let distance = distance(&name, &lower);
            let part = name.len() >= 4 && lower.contains(&name);
            (distance <= limit || part).then_some((distance, candidate))
        })
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, n)| n).take(3).collect()
}

/// `did you mean MPI_Send or MPI_Isend?`, or nothing if no name is close.
pub fn did_you_mean<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let near = near(name, names);
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

/// Letters to insert, delete or replace to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = || ["real-deadlock", "real-hang-up", "wrong-root", "nonpaired-send"].into_iter();
        assert_eq!(near("real-deadlok", names()), ["real-deadlock"]);
        assert_eq!(near("deadlock", names()), ["real-deadlock"]);
        assert_eq!(near("Wrong-Rot", names()), ["wrong-root"]);
        assert!(near("xyzzy", names()).is_empty());
        assert_eq!(did_you_mean("wrong-rot", names()).as_deref(), Some("did you mean wrong-root?"));
    }
}
