//! Datatypes as type signatures (MPI 4.1 section 5.1): the sequence of basic types, in compact form. A vector of a
//! million integers is one entry; comparing two signatures costs as much as the types have parts, whatever the counts.

mod compare;

use rustc_hash::FxHashMap;
use trace_format::definition::{Combiner, Id};
use trace_format::mpi::predefined::{DATATYPES, datatype_id, pair_parts};

/// Number of a signature. Signatures of basic types are the definition ids of the types; 0 is unknown.
pub(crate) type SigId = u32;

pub(crate) const UNKNOWN: SigId = 0;

/// `sig` repeated `reps` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Amount {
    pub(crate) sig: SigId,
    pub(crate) reps: u64,
    /// Total size; known also for some types whose signature is not. `None`: unknown.
    pub(crate) bytes: Option<u64>,
}

impl Amount {
    pub(crate) const UNKNOWN: Amount = Amount { sig: UNKNOWN, reps: 0, bytes: None };

    #[inline]
    pub(crate) fn times(self, count: i64) -> Amount {
        let count = count.max(0) as u64;
        let bytes = self.bytes.map(|b| b.saturating_mul(count));
        Amount { sig: self.sig, reps: self.reps.saturating_mul(count), bytes }
    }
}

enum Node {
    Unknown,
    Basic,
    Seq(Box<[(SigId, u64)]>),
}

struct Entry {
    node: Node,
    elements: u64,
    bytes: u64,
    /// MPI_PACKED is among its types.
    packed: bool,
}

/// A place where two signatures differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Index of the basic element.
    pub(crate) position: u64,
    /// Basic types there, as definition ids.
    pub(crate) left: Id,
    pub(crate) right: Id,
    /// The two have the same representation on this machine, so that only the letter of the standard is broken.
    pub(crate) formal: bool,
}

/// Where two signatures that are repeated for ever differ first.
#[derive(Clone, Copy, Default)]
struct Compared {
    hard: Option<Difference>,
    formal: Option<Difference>,
}

/// All signatures of a run.
pub(crate) struct Signatures {
    entries: Vec<Entry>,
    known: FxHashMap<Box<[(SigId, u64)]>, SigId>,
    compared: FxHashMap<(SigId, SigId), Compared>,
    predefined: Vec<Amount>,
    byte: SigId,
}

impl Signatures {
    pub(crate) fn new() -> Signatures {
        let id = |name| datatype_id(name).unwrap_or(UNKNOWN);
        let mut all = Signatures {
            entries: vec![Entry { node: Node::Unknown, elements: 0, bytes: 0, packed: false }],
            known: FxHashMap::default(),
            compared: FxHashMap::default(),
            predefined: vec![Amount::UNKNOWN],
            byte: id("MPI_BYTE"),
        };
        for name in DATATYPES {
            let packed = *name == "MPI_PACKED";
            all.entries.push(Entry { node: Node::Basic, elements: 1, bytes: basic(name).1, packed });
        }
        for (i, name) in DATATYPES.iter().enumerate() {
            let sig = i as SigId + 1;
            let amount = match (pair_parts(name), *name) {
                (Some(parts), _) => all.sequence(parts.iter().map(|p| (id(p), 1))),
                (None, "MPI_LB" | "MPI_UB") => Amount { sig, reps: 0, bytes: Some(0) },
                _ => Amount { sig, reps: 1, bytes: Some(all.entries[sig as usize].bytes) },
            };
            all.predefined.push(amount);
        }
        all
    }

    /// One element of a predefined datatype.
    pub(crate) fn predefined(&self, id: Id) -> Option<Amount> {
        self.predefined.get(id as usize).copied().filter(|_| id != 0)
    }

    /// Sets the size of a predefined datatype to what the library says.
    pub(crate) fn set_size(&mut self, id: Id, size: u64) {
        let Some(amount) = self.predefined.get_mut(id as usize) else { return };
        if id != 0 && size != 0 && amount.sig == id {
            amount.bytes = Some(size.saturating_mul(amount.reps));
            self.entries[id as usize].bytes = size;
        }
    }

    /// One after the other.
    fn sequence(&mut self, parts: impl Iterator<Item = (SigId, u64)>) -> Amount {
        let mut items: Vec<(SigId, u64)> = Vec::new();
        for (sig, reps) in parts.filter(|p| p.1 != 0) {
            if sig == UNKNOWN {
                return Amount::UNKNOWN;
            }
            match items.last_mut() {
                Some(last) if last.0 == sig => last.1 = last.1.saturating_add(reps),
                _ => items.push((sig, reps)),
            }
        }
        let bytes_of = |e: &[Entry], items: &[(SigId, u64)]| {
            items.iter().fold(0u64, |n, i| n.saturating_add(e[i.0 as usize].bytes.saturating_mul(i.1)))
        };
        match items[..] {
            [] => Amount { sig: self.byte, reps: 0, bytes: Some(0) },
            [(sig, reps)] => Amount { sig, reps, bytes: Some(bytes_of(&self.entries, &items)) },
            _ => {
                let bytes = bytes_of(&self.entries, &items);
                let items = items.into_boxed_slice();
                let sig = match self.known.get(&items) {
                    Some(sig) => *sig,
                    None => {
                        let elements = items.iter().fold(0u64, |n, i| {
                            n.saturating_add(self.entries[i.0 as usize].elements.saturating_mul(i.1))
                        });
                        let sig = self.entries.len() as SigId;
                        let packed = items.iter().any(|i| self.entries[i.0 as usize].packed);
                        self.entries.push(Entry { node: Node::Seq(items.clone()), elements, bytes, packed });
                        self.known.insert(items, sig);
                        sig
                    }
                };
                Amount { sig, reps: 1, bytes: Some(bytes) }
            }
        }
    }

    /// One element of a datatype that was made with `combiner` from `ints` and `types` (MPI_Type_get_contents).
    pub(crate) fn derived(&mut self, combiner: Combiner, ints: &[i64], types: &[Amount], size: u64) -> Amount {
        let known_size = (size != 0).then_some(size);
        let old = types.first().copied().unwrap_or(Amount::UNKNOWN);
        let int = |i: usize| ints.get(i).copied().unwrap_or(0);
        let product = |range: std::ops::Range<usize>| {
            ints.get(range).map(|r| r.iter().fold(1i64, |n, v| n.saturating_mul((*v).max(0))))
        };
        let sum = |range: std::ops::Range<usize>| {
            ints.get(range).map(|r| r.iter().fold(0i64, |n, v| n.saturating_add((*v).max(0))))
        };
        // More than there are arguments is damage: the ranges below are then not there.
        let count = (int(0).max(0) as usize).min(ints.len());
        let of_old = |n: Option<i64>| n.map(|n| old.times(n));
        let amount = match combiner {
            Combiner::Dup | Combiner::Resized => Some(old),
            Combiner::Contiguous => of_old(Some(int(0))),
            Combiner::Vector | Combiner::Hvector | Combiner::IndexedBlock | Combiner::HindexedBlock => {
                of_old(product(0..2))
            }
            Combiner::Indexed | Combiner::Hindexed => of_old(sum(1..1 + count)),
            Combiner::Subarray => of_old(product(1 + count..1 + 2 * count)),
            // Which elements are one's own depends on the distribution; all are of the one old type.
            Combiner::Darray => known_size
                .filter(|_| old.bytes.is_some_and(|b| b != 0))
                .map(|size| old.times((size / old.bytes.unwrap_or(1)) as i64)),
            Combiner::Struct => {
                let lengths = ints.get(1..1 + count).unwrap_or(&[]);
                (lengths.len() == types.len()).then(|| {
                    let parts =
                        lengths.iter().zip(types).map(|(n, t)| (t.sig, t.reps.saturating_mul((*n).max(0) as u64)));
                    let parts: Vec<_> = parts.collect();
                    self.sequence(parts.into_iter())
                })
            }
            Combiner::Named | Combiner::Opaque => None,
        };
        let mut amount = amount.unwrap_or(Amount::UNKNOWN);
        if amount.sig == UNKNOWN {
            amount = Amount { bytes: known_size, reps: 1, ..Amount::UNKNOWN };
        }
        amount
    }

    /// Number of basic elements.
    pub(crate) fn elements(&self, a: Amount) -> u64 {
        self.entries[a.sig as usize].elements.saturating_mul(a.reps)
    }

    /// How a basic type is represented ([`basic`]), and its size. `None`: it is no basic type.
    pub(crate) fn representation(&self, id: Id) -> Option<(char, u64)> {
        let entry = self.entries.get(id as usize).filter(|entry| matches!(entry.node, Node::Basic))?;
        Some((basic(DATATYPES.get((id as usize).checked_sub(1)?)?).0, entry.bytes))
    }

    /// The basic types of a predefined one, one behind the other.
    pub(crate) fn parts(&self, id: Id) -> Option<Vec<Id>> {
        let name = DATATYPES.get((id as usize).checked_sub(1)?)?;
        let parts =
            pair_parts(name).map(|parts| parts.iter().map(|part| datatype_id(part)).collect::<Option<Vec<Id>>>());
        parts.unwrap_or_else(|| Some(vec![id]))
    }

    fn is_bytes(&self, a: Amount) -> bool {
        a.sig == self.byte
    }

    /// Is the one side untyped (MPI_BYTE, MPI_PACKED), or unknown, so that only sizes can be compared? Packed data may be
    /// received as what was packed, and the other way round (MPI 4.1 section 5.2), also as a part of something.
    pub(crate) fn untyped(&self, a: Amount, b: Amount) -> bool {
        let packed = self.entries[a.sig as usize].packed || self.entries[b.sig as usize].packed;
        a.sig == UNKNOWN || b.sig == UNKNOWN || packed || self.is_bytes(a) != self.is_bytes(b)
    }

    /// Is there less of `a` than of `b`? Untyped data are compared by bytes, typed ones by elements.
    pub(crate) fn is_shorter(&self, a: Amount, b: Amount) -> bool {
        if self.untyped(a, b) {
            matches!((a.bytes, b.bytes), (Some(a), Some(b)) if a < b)
        } else {
            self.elements(a) < self.elements(b)
        }
    }

    /// The first place where the elements that both amounts have differ in type (MPI 4.1 section 3.3.1). A hard
    /// difference wins over a formal one before it.
    pub(crate) fn difference(&mut self, a: Amount, b: Amount) -> Option<Difference> {
        if a.sig == b.sig || self.untyped(a, b) {
            return None;
        }
        let shorter = self.elements(a).min(self.elements(b));
        let compared = self.compare(a.sig, b.sig);
        compared.hard.filter(|d| d.position < shorter).or(compared.formal.filter(|d| d.position < shorter))
    }

    /// An amount in words: `3 x MPI_INT`, `2 x {MPI_INT, 3 x MPI_DOUBLE}`.
    pub(crate) fn describe(&self, a: Amount) -> String {
        if a.sig == UNKNOWN {
            return a.bytes.map_or_else(|| "an unknown type".into(), |b| format!("{b} bytes of an unknown type"));
        }
        let inner = self.describe_sig(a.sig, 0);
        if a.reps == 1 { inner } else { format!("{} x {inner}", a.reps) }
    }

    fn describe_sig(&self, sig: SigId, depth: usize) -> String {
        match &self.entries[sig as usize].node {
            Node::Unknown => "?".into(),
            Node::Basic => DATATYPES[sig as usize - 1].into(),
            Node::Seq(_) if depth > 2 => "{...}".into(),
            Node::Seq(items) => {
                let mut parts: Vec<String> = items
                    .iter()
                    .take(6)
                    .map(|(sig, reps)| {
                        let inner = self.describe_sig(*sig, depth + 1);
                        if *reps == 1 { inner } else { format!("{reps} x {inner}") }
                    })
                    .collect();
                if items.len() > 6 {
                    parts.push(format!("... {} parts", items.len()));
                }
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
}

fn same_representation(all: &Signatures, a: Id, b: Id) -> bool {
    let class = |id: Id| basic(DATATYPES[id as usize - 1]).0;
    let bytes = |id: Id| all.entries[id as usize].bytes;
    a != UNKNOWN && b != UNKNOWN && class(a) != ' ' && class(a) == class(b) && bytes(a) == bytes(b)
}

/// How a basic type is represented (types of one letter and one size look the same in memory; a blank is like no
/// other), and its size on the usual 64-bit machines, until the trace says better.
fn basic(name: &str) -> (char, u64) {
    match name.strip_prefix("MPI_").or(name.strip_prefix("MPIX_")).unwrap_or(name) {
        "SIGNED_CHAR" | "INT8_T" | "INTEGER1" => ('i', 1),
        "SHORT" | "INT16_T" | "INTEGER2" => ('i', 2),
        "INT" | "INT32_T" | "INTEGER" | "INTEGER4" => ('i', 4),
        "LONG" | "LONG_LONG_INT" | "INT64_T" | "INTEGER8" | "AINT" | "COUNT" | "OFFSET" => ('i', 8),
        "INTEGER16" => ('i', 16),
        "UNSIGNED_CHAR" | "UINT8_T" => ('u', 1),
        "UNSIGNED_SHORT" | "UINT16_T" => ('u', 2),
        "UNSIGNED" | "UINT32_T" => ('u', 4),
        "UNSIGNED_LONG" | "UNSIGNED_LONG_LONG" | "UINT64_T" => ('u', 8),
        "CHAR" | "CHARACTER" => ('c', 1),
        "WCHAR" => ('w', 4),
        "BYTE" | "PACKED" => (' ', 1),
        "C_BOOL" | "CXX_BOOL" => ('b', 1),
        "LOGICAL1" => ('l', 1),
        "LOGICAL2" => ('l', 2),
        "LOGICAL" | "LOGICAL4" => ('l', 4),
        "LOGICAL8" => ('l', 8),
        "LOGICAL16" => ('l', 16),
        "BFLOAT16" | "C_BF16" => ('g', 2),
        "REAL2" | "C_FLOAT16" => ('f', 2),
        "FLOAT" | "REAL" | "REAL4" => ('f', 4),
        "DOUBLE" | "DOUBLE_PRECISION" | "REAL8" => ('f', 8),
        "REAL16" => ('f', 16),
        "LONG_DOUBLE" => ('x', 16),
        "COMPLEX4" => ('z', 4),
        "COMPLEX" | "COMPLEX8" | "C_FLOAT_COMPLEX" | "CXX_FLOAT_COMPLEX" | "CXX_COMPLEX" => ('z', 8),
        "DOUBLE_COMPLEX" | "COMPLEX16" | "C_DOUBLE_COMPLEX" | "CXX_DOUBLE_COMPLEX" => ('z', 16),
        "COMPLEX32" => ('z', 32),
        "C_LONG_DOUBLE_COMPLEX" | "CXX_LONG_DOUBLE_COMPLEX" => ('y', 32),
        _ => (' ', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(all: &Signatures, name: &str) -> Amount {
        all.predefined(datatype_id(name).unwrap()).unwrap()
    }

    #[test]
    fn a_struct_is_compared_by_elements_not_by_form() {
        let mut all = Signatures::new();
        let (int, double) = (t(&all, "MPI_INT"), t(&all, "MPI_DOUBLE"));
        let inner = all.derived(Combiner::Struct, &[2, 1, 1, 0, 8], &[int, double], 0);
        let nested = all.derived(Combiner::Struct, &[2, 1, 1, 0, 8], &[int, inner], 0);
        let flat = all.derived(Combiner::Struct, &[2, 2, 1, 0, 8], &[int, double], 0);
        assert_eq!(all.difference(nested.times(5), flat.times(7)), None);
        let d = all.difference(inner.times(1000), flat.times(1000)).unwrap();
        assert_eq!((d.position, d.formal), (1, false));
        assert_eq!(all.difference(inner.times(1), int), None, "only the common part counts");
        assert_eq!(nested.bytes, Some(16));
    }

    /// One type in many forms: comparing them must not take time with the counts.
    #[test]
    fn huge_types_in_different_forms_are_compared_at_once() {
        let mut all = Signatures::new();
        let (int, double, float) = (t(&all, "MPI_INT"), t(&all, "MPI_DOUBLE"), t(&all, "MPI_FLOAT"));
        let pair = |all: &mut Signatures, a, b| all.derived(Combiner::Struct, &[2, 1, 1, 0, 8], &[a, b], 0);
        let many = |all: &mut Signatures, t| all.derived(Combiner::Contiguous, &[1_000_000_000], &[t], 0);
        let (ab, ba) = (pair(&mut all, int, double), pair(&mut all, double, int));
        // (ab)^n a = a (ba)^n
        let (abs, bas) = (many(&mut all, ab), many(&mut all, ba));
        let (left, right) = (pair(&mut all, abs, int), pair(&mut all, int, bas));
        assert_ne!(left.sig, right.sig);
        assert_eq!(all.difference(left.times(1000), right.times(1000)), None);
        // (abab)^n against (ab)^2n, within something larger.
        let abab = pair(&mut all, ab, ab);
        let three = pair(&mut all, ab, int);
        let sixes = all.derived(Combiner::Struct, &[2, 1_000_000, 1, 0, 8], &[abab, float], 0);
        let other = all.derived(Combiner::Struct, &[3, 1_000_000, 1_000_000, 1, 0, 8, 16], &[ab, ab, float], 0);
        assert_eq!(all.difference(sixes.times(7), other.times(7)), None);
        // A difference far behind.
        let late = all.derived(Combiner::Struct, &[3, 1_000_000, 1_000_000, 1, 0, 8, 16], &[ab, ab, int], 0);
        let d = all.difference(sixes.times(7), late.times(7)).unwrap();
        assert_eq!((d.position, d.formal), (4_000_000, false));
        assert_eq!(all.difference(sixes.times(1), ab.times(2_000_000)), None, "only what both have is compared");
        let threes = many(&mut all, three);
        let d = all.difference(abs, threes).unwrap();
        assert_eq!(d.position, 3);
        assert!(all.compared.len() < 100);
    }

    #[test]
    fn signatures_are_compared_as_their_elements_are() {
        // Small types of all forms against the plain sequence of their elements.
        let mut all = Signatures::new();
        let basics = ["MPI_INT", "MPI_DOUBLE", "MPI_INT32_T"].map(|n| t(&all, n));
        let mut random = 12345u64;
        let mut below = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % n
        };
        let mut made: Vec<(Amount, Vec<Id>)> = basics.iter().map(|b| (*b, vec![b.sig])).collect();
        for _ in 0..600 {
            let n = 1 + below(3) as usize;
            let parts: Vec<usize> = (0..n).map(|_| below(made.len() as u64) as usize).collect();
            let lengths: Vec<i64> = (0..n).map(|_| 1 + below(2) as i64).collect();
            let mut ints = vec![n as i64];
            ints.extend(&lengths);
            ints.extend(vec![0; n]);
            let types: Vec<Amount> = parts.iter().map(|p| made[*p].0).collect();
            let amount = all.derived(Combiner::Struct, &ints, &types, 0);
            let plain: Vec<Id> = parts.iter().zip(&lengths).flat_map(|(p, l)| made[*p].1.repeat(*l as usize)).collect();
            if plain.len() <= 40 {
                made.push((amount, plain));
            }
        }
        let mut differing = 0;
        for _ in 0..20_000 {
            let (i, j) = (below(made.len() as u64) as usize, below(made.len() as u64) as usize);
            let (m, n) = (1 + below(4), 1 + below(4));
            let (a, b) = (made[i].1.repeat(m as usize), made[j].1.repeat(n as usize));
            let pairs = || a.iter().zip(&b).enumerate().filter(|(_, (x, y))| x != y);
            let formal = |x: Id, y: Id| x != basics[1].sig && y != basics[1].sig;
            let hard = pairs().find(|(_, (x, y))| !formal(**x, **y)).map(|p| p.0 as u64);
            let expected = hard.or(pairs().map(|p| p.0 as u64).next());
            let found = all.difference(made[i].0.times(m as i64), made[j].0.times(n as i64));
            assert_eq!(found.map(|d| d.position), expected, "{:?} {a:?} {:?} {b:?}", made[i].0, made[j].0);
            differing += usize::from(expected.is_some());
        }
        assert!((5_000..19_500).contains(&differing), "{differing}");
    }

    #[test]
    fn sizes_of_repeated_types_need_no_expansion() {
        let mut all = Signatures::new();
        let double = t(&all, "MPI_DOUBLE");
        let vector = all.derived(Combiner::Vector, &[1_000_000, 3, 7], &[double], 0);
        assert_eq!(all.elements(vector.times(1000)), 3_000_000_000);
        let sub = all.derived(Combiner::Subarray, &[2, 10, 10, 4, 5, 0, 0, 0], &[double], 0);
        assert_eq!(all.elements(sub), 20);
        let indexed = all.derived(Combiner::Indexed, &[3, 1, 2, 3, 0, 5, 9], &[double], 0);
        assert_eq!(all.elements(indexed), 6);
        assert_eq!(all.difference(vector, sub), None);
    }

    #[test]
    fn bytes_packed_and_equal_representations() {
        let mut all = Signatures::new();
        let [int, int32, integer, uint, byte, packed, float] =
            ["MPI_INT", "MPI_INT32_T", "MPI_INTEGER", "MPI_UNSIGNED", "MPI_BYTE", "MPI_PACKED", "MPI_FLOAT"]
                .map(|n| t(&all, n));
        assert_eq!(all.difference(int, byte), None);
        assert_eq!(all.difference(packed, float), None);
        assert!(all.difference(int, int32).unwrap().formal);
        assert!(all.difference(integer, int).unwrap().formal);
        assert!(!all.difference(int, uint).unwrap().formal);
        assert!(!all.difference(int, float).unwrap().formal);
        assert_eq!(all.difference(int.times(0), float), None);
    }

    #[test]
    fn pairs_are_their_two_parts() {
        let mut all = Signatures::new();
        let (int, double, pair) = (t(&all, "MPI_INT"), t(&all, "MPI_DOUBLE"), t(&all, "MPI_DOUBLE_INT"));
        let own = all.derived(Combiner::Struct, &[2, 1, 1, 0, 8], &[double, int], 0);
        assert_eq!(all.difference(pair.times(3), own.times(3)), None);
        assert_eq!(t(&all, "MPI_2INT"), int.times(2));
    }
}
