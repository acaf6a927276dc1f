//! Code that has allocated: return addresses, by small numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Places for return addresses.
const PLACES: usize = 1 << 14;
/// Places that one address may be in.
const TRIES: usize = 8;

/// See the module.
pub(crate) struct Callers([AtomicU64; PLACES]);

impl Callers {
    pub(crate) const fn new() -> Callers {
        Callers([const { AtomicU64::new(0) }; PLACES])
    }

    /// The number of an address, which is not 0; 0 if there is no room for it.
    #[inline]
    pub(crate) fn number(&self, address: u64) -> u16 {
        let hash = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize;
        for place in (hash..hash + TRIES).map(|place| place % PLACES) {
            let Some(known) = self.0.get(place) else { return 0 };
            let mut there = known.load(Ordering::Relaxed);
            if there == 0 {
                there = match known.compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => address,
                    Err(other) => other,
                };
            }
            if there == address {
                return place as u16 + 1;
            }
        }
        0
    }

    /// The address of a number; 0 if that is not known.
    pub(crate) fn address(&self, number: u16) -> u64 {
        let place = usize::from(number).checked_sub(1).and_then(|place| self.0.get(place));
        place.map_or(0, |place| place.load(Ordering::Relaxed))
    }
}
