//! Long arrays and strings are written once, beside the records that name them by a number.

use dashmap::DashMap;
use recorder::trace;
use rustc_hash::FxBuildHasher;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use trace_format::definition::{Definition, Id};
use trace_format::record::BLOB_BIT;
use xxhash_rust::xxh3::xxh3_128;

/// The arrays that were written lately: their numbers by hashes of 128 bits, so that the arrays themselves are not kept; and the
/// segment of the trace, which the writer removes after a while.
static WRITTEN: LazyLock<DashMap<u128, (Id, u64), FxBuildHasher>> = LazyLock::new(DashMap::default);
static NEXT: AtomicU32 = AtomicU32::new(1);
/// Most of them that are known.
const MOST: usize = 4096;

/// The number of these bytes, which are in the trace then.
#[cold]
pub(super) fn number_of(bytes: &[u8]) -> Id {
    let (hash, segment) = (xxh3_128(bytes), trace::segment());
    let known = WRITTEN.get(&hash).map(|known| *known);
    if let Some((id, at)) = known
        && at == segment
    {
        return id;
    }
    let id = known.map_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed) & !BLOB_BIT, |(id, _)| id);
    if let Some(trace) = trace::get() {
        trace.define(&[Definition::Blob { id, bytes: bytes.to_vec() }]);
    }
    if WRITTEN.len() >= MOST {
        WRITTEN.clear();
    }
    WRITTEN.insert(hash, (id, segment));
    id
}
