//! Random datatypes, once as the crate's typemap and once as a list of every byte, made straight from the text of the
//! standard.
#![allow(dead_code, unreachable_pub)]

use proptest::prelude::*;
use std::sync::Arc;
use trace_format::definition::Combiner;
use trace_format::mpi::predefined::datatype_id;
use typemap::Typemap;

/// One byte of a datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Byte {
    pub offset: i64,
    pub basic: u32,
    /// Number of its basic element, and of the byte in it.
    pub position: u64,
    pub byte: u64,
}

/// A datatype as every byte of it in typemap order.
#[derive(Debug, Clone)]
pub struct Naive {
    pub bytes: Vec<Byte>,
    pub elements: u64,
    pub lb: i64,
    pub extent: i64,
}

impl Naive {
    fn basic(id: u32, size: u64) -> Naive {
        let bytes = (0..size).map(|b| Byte { offset: b as i64, basic: id, position: 0, byte: b }).collect();
        Naive { bytes, elements: 1, lb: 0, extent: size as i64 }
    }

    fn nothing() -> Naive {
        Naive { bytes: Vec::new(), elements: 0, lb: 0, extent: 0 }
    }

    /// Appends a copy of `old` at a displacement.
    fn put(&mut self, old: &Naive, displacement: i64) {
        let shift = |b: &Byte| Byte { offset: b.offset + displacement, position: b.position + self.elements, ..*b };
        let copy: Vec<Byte> = old.bytes.iter().map(shift).collect();
        self.bytes.extend(copy);
        self.elements += old.elements;
    }

    fn block(&mut self, old: &Naive, displacement: i64, length: i64) {
        (0..length).for_each(|i| self.put(old, displacement + i * old.extent));
    }

    /// Bounds that a library could give.
    fn bounded(mut self, pad: i64) -> Naive {
        let low = self.bytes.iter().map(|b| b.offset).min().unwrap_or(0);
        let high = self.bytes.iter().map(|b| b.offset + 1).max().unwrap_or(0);
        (self.lb, self.extent) = (low, high - low + pad);
        self
    }

    /// Bytes of `count` elements: element and byte with its offset from the buffer address.
    pub fn buffer(&self, count: u64) -> Vec<(u64, Byte)> {
        let element = |e: u64| {
            let shift = move |b: &Byte| (e, Byte { offset: b.offset + e as i64 * self.extent, ..*b });
            self.bytes.iter().map(shift).collect::<Vec<_>>()
        };
        (0..count).flat_map(element).collect()
    }
}

#[derive(Debug, Clone)]
pub enum Recipe {
    Named(&'static str, u64),
    Made { combiner: Combiner, ints: Vec<i64>, types: Vec<Recipe>, pad: i64 },
}

pub struct Both {
    pub map: Arc<Typemap>,
    pub naive: Naive,
}

impl Recipe {
    /// `None` if the type got too long for the naive model.
    pub fn build(&self) -> Option<Both> {
        match self {
            Recipe::Named(name, size) => {
                let id = datatype_id(name).unwrap();
                let mut naive = Naive::basic(id, *size);
                if *name == "MPI_DOUBLE_INT" {
                    naive = Naive::nothing();
                    naive.put(&Naive::basic(datatype_id("MPI_DOUBLE").unwrap(), 8), 0);
                    naive.put(&Naive::basic(datatype_id("MPI_INT").unwrap(), 4), 8);
                    naive.extent = 16;
                } else if *name == "MPI_SHORT_INT" {
                    naive = Naive::nothing();
                    naive.put(&Naive::basic(datatype_id("MPI_SHORT").unwrap(), 2), 0);
                    naive.put(&Naive::basic(datatype_id("MPI_INT").unwrap(), 4), 4);
                    naive.extent = 8;
                }
                Some(Both { map: Typemap::named(id, *size), naive })
            }
            Recipe::Made { combiner, ints, types, pad } => {
                let types = types.iter().map(Recipe::build).collect::<Option<Vec<_>>>()?;
                let naive: Vec<&Naive> = types.iter().map(|t| &t.naive).collect();
                let made = derive(*combiner, ints, &naive, *pad);
                if made.bytes.len() > 3000 {
                    return None;
                }
                let maps: Vec<Arc<Typemap>> = types.iter().map(|t| t.map.clone()).collect();
                let map = Typemap::derive(*combiner, ints, &maps, made.lb, made.extent).expect("a valid type");
                Some(Both { map, naive: made })
            }
        }
    }
}

fn derive(combiner: Combiner, ints: &[i64], types: &[&Naive], pad: i64) -> Naive {
    let mut new = Naive::nothing();
    let old = types[0];
    let n = ints.first().copied().unwrap_or(0);
    let count = n as usize;
    match combiner {
        Combiner::Dup => return old.clone(),
        Combiner::Resized => return Naive { lb: ints[0], extent: ints[1], ..old.clone() },
        Combiner::Contiguous => new.block(old, 0, n),
        Combiner::Vector => (0..n).for_each(|i| new.block(old, i * ints[2] * old.extent, ints[1])),
        Combiner::Hvector => (0..n).for_each(|i| new.block(old, i * ints[2], ints[1])),
        Combiner::Indexed => {
            (0..count).for_each(|i| new.block(old, ints[1 + count + i] * old.extent, ints[1 + i]));
        }
        Combiner::Hindexed => (0..count).for_each(|i| new.block(old, ints[1 + count + i], ints[1 + i])),
        Combiner::IndexedBlock => (0..count).for_each(|i| new.block(old, ints[2 + i] * old.extent, ints[1])),
        Combiner::HindexedBlock => (0..count).for_each(|i| new.block(old, ints[2 + i], ints[1])),
        Combiner::Struct => (0..count).for_each(|i| new.block(types[i], ints[1 + count + i], ints[1 + i])),
        Combiner::Subarray => {
            let of = |array: usize, d: usize| ints[1 + array * count + d];
            let chosen = |d: usize, x: i64| (of(2, d)..of(2, d) + of(1, d)).contains(&x);
            let sizes: Vec<i64> = (0..count).map(|d| of(0, d)).collect();
            array(&mut new, old, &sizes, ints[1 + 3 * count], chosen);
        }
        Combiner::Darray => {
            let (size, rank, dims, rest) = (ints[0], ints[1], ints[2] as usize, &ints[3..]);
            let of = |array: usize, d: usize| rest[array * dims + d];
            // Row-major place in the grid.
            let (mut left, mut r) = (size, rank);
            let places: Vec<i64> = (0..dims)
                .map(|d| {
                    left /= of(3, d);
                    let place = r / left;
                    r %= left;
                    place
                })
                .collect();
            let chosen = |d: usize, x: i64| {
                let (length, processes) = (of(0, d), of(3, d));
                let block = match (of(1, d), of(2, d)) {
                    (0, _) => length,
                    (1, -1) => (length + processes - 1) / processes,
                    (2, -1) => 1,
                    (_, given) => given,
                };
                x / block % processes == places[d]
            };
            let sizes: Vec<i64> = (0..dims).map(|d| of(0, d)).collect();
            array(&mut new, old, &sizes, rest[4 * dims], chosen);
        }
        Combiner::Named | Combiner::Opaque => unreachable!(),
    }
    new.bounded(pad)
}

/// Elements of an array all of whose indices are chosen, in the order of memory.
fn array(new: &mut Naive, old: &Naive, sizes: &[i64], order: i64, chosen: impl Fn(usize, i64) -> bool) {
    let all: i64 = sizes.iter().product();
    for place in 0..all {
        let mut rest = place;
        let mut index = vec![0; sizes.len()];
        let mut take = |d: usize| {
            index[d] = rest % sizes[d];
            rest /= sizes[d];
        };
        if order == 0 {
            (0..sizes.len()).rev().for_each(&mut take);
        } else {
            (0..sizes.len()).for_each(&mut take);
        }
        if (0..sizes.len()).all(|d| chosen(d, index[d])) {
            new.put(old, place * old.extent);
        }
    }
}

fn named() -> impl Strategy<Value = Recipe> {
    prop::sample::select(vec![
        Recipe::Named("MPI_CHAR", 1),
        Recipe::Named("MPI_SHORT", 2),
        Recipe::Named("MPI_INT", 4),
        Recipe::Named("MPI_DOUBLE", 8),
        Recipe::Named("MPI_C_DOUBLE_COMPLEX", 16),
        Recipe::Named("MPI_DOUBLE_INT", 12),
        Recipe::Named("MPI_SHORT_INT", 6),
    ])
}

fn one_old(old: Recipe) -> BoxedStrategy<Recipe> {
    let made = move |combiner: Combiner, ints: Vec<i64>, pad: i64| Recipe::Made {
        combiner,
        ints,
        types: vec![old.clone()],
        pad,
    };
    let pad = prop::sample::select(vec![0i64, 0, 0, 1, 4, 16]);
    let m = [0; 12].map(|_| made.clone());
    let [m1, m2, m3, m4, m5, m6, m7, m8, m9, ..] = m;
    let array_dims = prop::collection::vec((1i64..6, 0i64..6, 0i64..6), 1..4);
    let dist_dims = prop::collection::vec((1i64..8, 0i64..3, 0i64..4, 1i64..4), 1..4);
    prop_oneof![
        Just(()).prop_map(move |()| m1(Combiner::Dup, vec![], 0)),
        (0i64..5, pad.clone()).prop_map(move |(n, p)| m2(Combiner::Contiguous, vec![n], p)),
        (0i64..6, 0i64..4, -4i64..6, pad.clone()).prop_map(move |(n, l, s, p)| m3(Combiner::Vector, vec![n, l, s], p)),
        (0i64..6, 0i64..4, -40i64..60, pad.clone()).prop_map(move |(n, l, s, p)| m4(
            Combiner::Hvector,
            vec![n, l, s],
            p
        )),
        (prop::collection::vec((0i64..4, -10i64..20), 0..7), any::<bool>(), any::<bool>(), pad.clone()).prop_map(
            move |(mut blocks, bytes, sorted, p)| {
                if sorted {
                    blocks.sort_by_key(|b| b.1);
                }
                let mut ints = vec![blocks.len() as i64];
                ints.extend(blocks.iter().map(|b| b.0));
                ints.extend(blocks.iter().map(|b| b.1));
                m5(if bytes { Combiner::Hindexed } else { Combiner::Indexed }, ints, p)
            }
        ),
        (prop::collection::vec(-10i64..30, 0..8), 0i64..3, any::<bool>(), 0i64..5, pad.clone()).prop_map(
            move |(mut places, length, bytes, step, p)| {
                if step > 2 {
                    // Equal distances.
                    places.iter_mut().enumerate().for_each(|(i, d)| *d = step * i as i64);
                }
                let mut ints = vec![places.len() as i64, length];
                ints.extend(places);
                m6(if bytes { Combiner::HindexedBlock } else { Combiner::IndexedBlock }, ints, p)
            }
        ),
        (array_dims, 0i64..2, pad.clone()).prop_map(move |(dims, order, p)| {
            let mut ints = vec![dims.len() as i64];
            let size = |d: &(i64, i64, i64)| d.0;
            let start = |d: &(i64, i64, i64)| d.2 % d.0;
            ints.extend(dims.iter().map(size));
            ints.extend(dims.iter().map(|d| 1 + d.1 % (size(d) - start(d))));
            ints.extend(dims.iter().map(start));
            ints.push(order);
            m7(Combiner::Subarray, ints, p)
        }),
        (dist_dims, any::<u32>(), 0i64..2, pad).prop_map(move |(dims, rank, order, p)| {
            let processes = |d: &(i64, i64, i64, i64)| if d.1 == 0 { 1 } else { d.3 };
            let size: i64 = dims.iter().map(processes).product();
            let mut ints = vec![size, i64::from(rank) % size, dims.len() as i64];
            ints.extend(dims.iter().map(|d| d.0));
            ints.extend(dims.iter().map(|d| d.1));
            ints.extend(dims.iter().map(|d| match (d.1, d.2) {
                (_, 0) => -1,
                (1, more) => (d.0 + processes(d) - 1) / processes(d) + more - 1,
                (_, given) => given,
            }));
            ints.extend(dims.iter().map(processes));
            ints.push(order);
            m8(Combiner::Darray, ints, p)
        }),
        (-8i64..9, -20i64..80).prop_map(move |(lb, extent)| m9(Combiner::Resized, vec![lb, extent], 0)),
    ]
    .boxed()
}

fn structure(types: Vec<Recipe>) -> impl Strategy<Value = Recipe> {
    let n = types.len();
    (prop::collection::vec((0i64..3, -20i64..60), n), any::<bool>()).prop_map(move |(blocks, packed)| {
        let mut ints = vec![n as i64];
        ints.extend(blocks.iter().map(|b| b.0));
        ints.extend(blocks.iter().enumerate().map(|(i, b)| if packed { 8 * i as i64 } else { b.1 }));
        Recipe::Made { combiner: Combiner::Struct, ints, types: types.clone(), pad: 0 }
    })
}

/// A random datatype.
pub fn recipe() -> BoxedStrategy<Recipe> {
    named()
        .prop_recursive(4, 12, 3, |inner| {
            prop_oneof![
                4 => inner.clone().prop_flat_map(one_old),
                1 => prop::collection::vec(inner, 1..4).prop_flat_map(structure),
            ]
        })
        .boxed()
}
