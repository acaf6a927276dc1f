//! The arguments of datatype constructors as `MPI_Type_get_contents` gives them.

/// A number of copies: not negative.
pub(crate) fn amount(v: i64) -> Option<u64> {
    u64::try_from(v).ok()
}

/// The count that the other integers begin with.
pub(crate) fn counted(ints: &[i64]) -> Option<(usize, &[i64])> {
    let (n, rest) = ints.split_first()?;
    Some((usize::try_from(*n).ok()?, rest))
}

/// Two arrays of `n`, and nothing else.
pub(crate) fn halves(rest: &[i64], n: usize) -> Option<(&[i64], &[i64])> {
    (rest.len() == n.checked_mul(2)?).then(|| rest.split_at_checked(n))?
}
