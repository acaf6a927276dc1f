//! Equal runs of bytes at equal distances, as MPI_Type_vector makes them: when do two such touch?

/// `rows` > 0 runs of `length` > 0 bytes; the first is at `start`, the next ones follow every `stride` bytes. With more
/// than one row, `stride` > `length`: the bytes ascend. All of it is below 2^62.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vector {
    pub(crate) start: i64,
    pub(crate) length: i64,
    pub(crate) stride: i64,
    pub(crate) rows: i64,
}

impl Vector {
    pub(crate) fn run(low: i64, high: i64) -> Vector {
        Vector { start: low, length: high - low, stride: high - low, rows: 1 }
    }

    /// The bytes of `rows` runs, whatever order and overlap they have.
    pub(crate) fn new(start: i64, length: i64, stride: i64, rows: i64) -> Vector {
        let way = stride.wrapping_mul(rows - 1);
        let start = start.wrapping_add(way.min(0));
        if stride.unsigned_abs() <= length as u64 || rows == 1 {
            return Vector::run(start, start.wrapping_add(way.wrapping_abs()).wrapping_add(length));
        }
        Vector { start, length, stride: stride.wrapping_abs(), rows }
    }

    pub(crate) fn end(&self) -> i64 {
        self.row(self.rows - 1).wrapping_add(self.length)
    }

    fn row(&self, n: i64) -> i64 {
        self.start.wrapping_add(self.stride.wrapping_mul(n))
    }

    /// The first byte at or above `address`. `None` if there is none.
    pub(crate) fn next_byte(&self, address: i64) -> Option<i64> {
        // The first row that ends above it.
        let row =
            if address < self.start { 0 } else { (address - self.start - self.length).div_euclid(self.stride) + 1 };
        (row < self.rows).then(|| self.row(row.max(0)).max(address))
    }

    /// The lowest byte that both have.
    pub(crate) fn common(&self, other: &Vector) -> Option<i64> {
        let (low, high) = (self.start.max(other.start), self.end().min(other.end()));
        if low >= high {
            return None;
        }
        if self.rows == 1 && other.rows == 1 {
            return Some(low);
        }
        if self.rows == 1 {
            return other.common(self);
        }
        // Rows of `self` in the span of `other`: the first one that ends above its start, the last one that begins
        // below its end.
        let first = ceil_div(other.start + 1 - self.start - self.length, self.stride).max(0);
        let last = (other.end() - 1 - self.start).div_euclid(self.stride).min(self.rows - 1);
        if first > last {
            return None;
        }
        let row = if other.rows == 1 { first } else { first + self.first_touching(other, first, last)? };
        let at = self.row(row);
        // The first row of `other` that ends above `at`.
        let theirs = match other.rows {
            1 => 0,
            _ => ((at - other.start - other.length).div_euclid(other.stride) + 1).max(0),
        };
        let address = at.max(other.row(theirs));
        (address < at + self.length && theirs < other.rows).then_some(address)
    }

    /// The number of rows after `first` (and up to `last`) to the first row of `self` that touches one of `other`.
    fn first_touching(&self, other: &Vector, first: i64, last: i64) -> Option<i64> {
        // A row of `self` touches the row of `other` at or below its last byte if that byte is no more than this
        // far from the row's start.
        let reach = self.length + other.length - 2;
        // The last byte of row `first + i`, relative to the start of `other`: `base + i * stride`.
        let base = self.row(first) + self.length - 1 - other.start;
        // Rows that end beyond the last period of `other` can only touch its last row, and the first of them does if
        // any does.
        let beyond = ceil_div(other.stride.checked_mul(other.rows)? - base, self.stride).max(0);
        if beyond > 0 {
            let found = if reach >= other.stride - 1 {
                Some(0)
            } else {
                let low = (-base).rem_euclid(other.stride);
                let high = low + reach;
                match high >= other.stride || low == 0 {
                    true => Some(0),
                    false => first_in_range(self.stride as u64, other.stride as u64, low as u64, high as u64),
                }
            };
            if let Some(i) = found.and_then(|i| i64::try_from(i).ok())
                && i < beyond
                && i <= last - first
            {
                return Some(i);
            }
        }
        let touches = || self.row(first + beyond) < other.row(other.rows - 1) + other.length;
        (beyond <= last - first && touches()).then_some(beyond)
    }
}

fn ceil_div(a: i64, b: i64) -> i64 {
    a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)
}

/// The least `x` with `low <= factor * x mod modulus <= high`, for `0 <= low <= high < modulus`.
fn first_in_range(factor: u64, modulus: u64, low: u64, high: u64) -> Option<u64> {
    if low == 0 {
        return Some(0);
    }
    let factor = factor % modulus;
    if factor == 0 {
        return None;
    }
    if factor > modulus / 2 {
        return first_in_range(modulus - factor, modulus, modulus - high, modulus - low);
    }
    let x = low.div_ceil(factor);
    if x.checked_mul(factor)? <= high {
        return Some(x);
    }
    // No multiple of `factor` is in the range: how often does the sum wrap before one is? Halves at least each time.
    let wraps = first_in_range(factor - modulus % factor, factor, low % factor, high % factor)?;
    let sum = u128::from(modulus) * u128::from(wraps) + u128::from(low);
    u64::try_from(sum.div_ceil(u128::from(factor))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(a: &Vector, b: &Vector) -> Option<i64> {
        let touches = |c: &Vector, x: i64| (0..c.rows).any(|r| (c.row(r)..c.row(r) + c.length).contains(&x));
        (a.start..a.end()).find(|x| touches(a, *x) && touches(b, *x))
    }

    #[test]
    fn range_of_multiples() {
        for modulus in 1..40u64 {
            for factor in 0..60 {
                for low in 0..modulus {
                    for high in low..modulus {
                        let expected = (0..modulus).find(|x| (low..=high).contains(&(factor * x % modulus)));
                        assert_eq!(first_in_range(factor, modulus, low, high), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn combs_as_bytes() {
        let mut seed = 1u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % n) as i64
        };
        let mut hits = 0;
        for _ in 0..60_000 {
            let mut vector = || Vector::new(random(60), 1 + random(6), random(41) - 20, 1 + random(8));
            let (a, b) = (vector(), vector());
            assert_eq!(a.common(&b), naive(&a, &b), "{a:?} {b:?}");
            hits += u32::from(a.common(&b).is_some());
        }
        assert!((10_000..55_000).contains(&hits), "{hits}");
    }
}
