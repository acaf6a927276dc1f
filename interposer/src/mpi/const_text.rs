//! Texts that the compiler compares: `==` of texts is not for constants.

pub(crate) const fn is_same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let ([first, behind_first @ ..], [second, behind_second @ ..]) = (a, b) {
        if *first != *second {
            return false;
        }
        (a, b) = (behind_first, behind_second);
    }
    a.is_empty() && b.is_empty()
}
