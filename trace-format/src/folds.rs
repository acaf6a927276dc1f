//! Folds of integers: a reduction can be checked from one number a buffer. Since the predefined operations are
//! associative and commutative on integers, the fold of all elements of the result is the fold of the folds of all
//! contributions (MPI 4.1 section 6.9.2). That they are equal does not prove the result right; that they differ proves
//! it wrong.

use crate::definition::Id;
use crate::mpi::predefined::{DATATYPES, OPS};

/// An operation on integers of some width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    op: Op,
    /// Bytes of an integer.
    width: u32,
    signed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Sum,
    Prod,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Fold {
    /// The fold of a predefined operation on a predefined datatype of integers, by their definition ids; `None` for
    /// others. Integers wrap around, as libraries have it.
    pub fn of(op: Id, datatype: Id) -> Option<Fold> {
        let name = |list: &[&'static str], id: Id| list.get((id as usize).checked_sub(1)?).copied();
        let op = match name(OPS, op)? {
            "MPI_SUM" => Op::Sum,
            "MPI_PROD" => Op::Prod,
            "MPI_MIN" => Op::Min,
            "MPI_MAX" => Op::Max,
            "MPI_BAND" => Op::And,
            "MPI_BOR" => Op::Or,
            "MPI_BXOR" => Op::Xor,
            _ => return None,
        };
        let (width, signed) = match name(DATATYPES, datatype)?.strip_prefix("MPI_")? {
            "SIGNED_CHAR" | "INT8_T" => (1, true),
            "SHORT" | "INT16_T" => (2, true),
            "INT" | "INT32_T" => (4, true),
            "LONG" | "LONG_LONG_INT" | "INT64_T" | "AINT" | "COUNT" | "OFFSET" => (8, true),
            "UNSIGNED_CHAR" | "UINT8_T" => (1, false),
            "UNSIGNED_SHORT" | "UINT16_T" => (2, false),
            "UNSIGNED" | "UINT32_T" => (4, false),
            "UNSIGNED_LONG" | "UNSIGNED_LONG_LONG" | "UINT64_T" => (8, false),
            _ => return None,
        };
        Some(Fold { op, width, signed })
    }

    /// One integer, extended to 64 bits by its sign.
    fn extend(self, value: u64) -> u64 {
        let shift = 64 - 8 * self.width;
        if self.signed { ((value << shift) as i64 >> shift) as u64 } else { value << shift >> shift }
    }

    /// The fold of two.
    pub fn combine(self, a: u64, b: u64) -> u64 {
        let by_order = |first: bool| if first { a } else { b };
        let less = if self.signed { (a as i64) < b as i64 } else { a < b };
        self.extend(match self.op {
            Op::Sum => a.wrapping_add(b),
            Op::Prod => a.wrapping_mul(b),
            Op::Min => by_order(less),
            Op::Max => by_order(!less),
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
        })
    }

    /// The fold of the integers that lie one behind the other in memory; `None` if there is none.
    pub fn integers(self, bytes: &[u8]) -> Option<u64> {
        let value = |chunk: &[u8]| {
            let mut word = [0u8; 8];
            word.iter_mut().zip(chunk).for_each(|(w, b)| *w = *b);
            self.extend(u64::from_le_bytes(word))
        };
        bytes.chunks_exact(self.width as usize).map(value).reduce(|a, b| self.combine(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::predefined::{datatype_id, op_id};

    fn fold(op: &str, datatype: &str) -> Option<Fold> {
        Fold::of(op_id(op)?, datatype_id(datatype)?)
    }

    #[test]
    fn only_integers_and_operations_without_order_are_folded() {
        assert!(fold("MPI_SUM", "MPI_INT").is_some());
        for (op, datatype) in [("MPI_SUM", "MPI_DOUBLE"), ("MPI_MAXLOC", "MPI_2INT"), ("MPI_REPLACE", "MPI_INT")] {
            assert_eq!(fold(op, datatype), None);
        }
        assert_eq!(Fold::of(300, 300), None);
    }

    /// Against a reduction element by element.
    #[test]
    fn the_fold_of_a_result_is_that_of_its_contributions() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed
        };
        for op in ["MPI_SUM", "MPI_PROD", "MPI_MIN", "MPI_MAX", "MPI_BAND", "MPI_BOR", "MPI_BXOR"] {
            for datatype in
                ["MPI_SIGNED_CHAR", "MPI_UNSIGNED_SHORT", "MPI_INT", "MPI_UINT32_T", "MPI_LONG", "MPI_UINT64_T"]
            {
                let fold = fold(op, datatype).unwrap();
                let width = fold.width as usize;
                let contributions: Vec<Vec<u8>> =
                    (0..5).map(|_| (0..13).flat_map(|_| random().to_le_bytes()[..width].to_vec()).collect()).collect();
                let element = |bytes: &[u8], i: usize| fold.integers(&bytes[i * width..(i + 1) * width]).unwrap();
                let result: Vec<u8> = (0..13)
                    .flat_map(|i| {
                        let all = contributions.iter().map(|c| element(c, i));
                        all.reduce(|a, b| fold.combine(a, b)).unwrap().to_le_bytes()[..width].to_vec()
                    })
                    .collect();
                let folds = contributions.iter().map(|c| fold.integers(c).unwrap());
                assert_eq!(fold.integers(&result), folds.reduce(|a, b| fold.combine(a, b)), "{op} {datatype}");
                let mut wrong = result.clone();
                wrong[3 * width] ^= 1;
                if matches!(op, "MPI_SUM" | "MPI_BXOR") {
                    assert_ne!(fold.integers(&wrong), fold.integers(&result));
                }
            }
        }
        assert_eq!(fold("MPI_MIN", "MPI_INT").unwrap().integers(&[]), None);
    }
}
