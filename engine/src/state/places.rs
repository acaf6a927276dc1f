//! Where a rank makes its calls, as numbers that are equal in all ranks that make them there. A job may have thousands of ranks:
//! they take little room.

use rustc_hash::{FxHashMap, FxHasher};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use trace_format::definition::{Id, Module};

/// A module in the memory of a rank.
struct Loaded {
    start: u64,
    /// The kernel maps whole pages.
    pages: u32,
    /// Its path, hashed: with the address in it, which is hashed too, that is enough.
    path: u32,
}

const PAGE: u64 = 1 << 12;

impl Loaded {
    /// How far behind its first byte an address is that it holds.
    fn offset_of(&self, address: u64) -> Option<u64> {
        address.checked_sub(self.start).filter(|offset| offset / PAGE < u64::from(self.pages))
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct Places {
    modules: Vec<Loaded>,
    /// By call site, in the order of their numbers.
    places: Vec<(Id, u64)>,
    /// Places in the source of interpreted programs.
    sources: FxHashMap<Id, u64>,
    /// A range of addresses that holds no module, around the last address that was in none: from, and up to.
    gap: Cell<(u64, u64)>,
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

impl Places {
    pub(crate) fn add_module(&mut self, module: &Module) {
        let pages = module.end.saturating_sub(module.start).div_ceil(PAGE);
        let pages = u32::try_from(pages).unwrap_or(u32::MAX);
        self.gap.take();
        self.modules.push(Loaded { start: module.start, pages, path: (hash(&module.path) >> 32) as u32 });
    }

    pub(crate) fn add_stack(&mut self, id: Id, frames: &[u64]) {
        self.add(id, self.of_frames(frames));
    }

    /// The place of addresses in code.
    pub(crate) fn of_frames(&self, frames: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        for pc in frames {
            let module = self.modules.iter().rev().find_map(|m| Some((m.path, m.offset_of(*pc)?)));
            match module {
                Some(inside) => inside.hash(&mut hasher),
                None => pc.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    pub(crate) fn add_source(&mut self, id: Id, source: &impl Hash) {
        self.sources.insert(id, hash(source));
    }

    pub(crate) fn add_source_stack(&mut self, id: Id, sources: &[Id], below: Id) {
        let mut hasher = FxHasher::default();
        self.get(below).hash(&mut hasher);
        sources.iter().for_each(|source| self.sources.get(source).hash(&mut hasher));
        self.add(id, hasher.finish());
    }

    fn add(&mut self, id: Id, place: u64) {
        match self.places.binary_search_by_key(&id, |p| p.0) {
            Ok(at) => self.places[at].1 = place,
            Err(at) => self.places.insert(at, (id, place)),
        }
    }

    /// The place of a call site, if it is known.
    #[inline]
    pub(crate) fn get(&self, site: Id) -> Option<u64> {
        // Mostly there are no numbers between them that are none of call sites.
        let guess = site.wrapping_sub(self.places.first()?.0) as usize;
        match self.places.get(guess) {
            Some((id, place)) if *id == site => Some(*place),
            _ => self.search(site),
        }
    }

    fn search(&self, site: Id) -> Option<u64> {
        let at = self.places.binary_search_by_key(&site, |p| p.0).ok()?;
        Some(self.places[at].1)
    }

    /// Where all modules are: from, and to.
    pub(crate) fn ranges(&self) -> Vec<(u64, u64)> {
        self.modules.iter().map(|module| (module.start, end_of(module))).collect()
    }

    /// Is the address in a module: that of code, or of a variable that is there as long as the program?
    pub(crate) fn is_in_module(&self, address: u64) -> bool {
        let (from, to) = self.gap.get();
        if (from..to).contains(&address) {
            return false;
        }
        let (mut from, mut to) = (0, u64::MAX);
        for module in &self.modules {
            let end = end_of(module);
            match address {
                _ if address >= end => from = from.max(end),
                _ if address < module.start => to = to.min(module.start),
                _ => return true,
            }
        }
        self.gap.set((from, to));
        false
    }
}

fn end_of(module: &Loaded) -> u64 {
    module.start.saturating_add(u64::from(module.pages).saturating_mul(PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_module(start: u64, bytes: u64, path: &str) -> Places {
        let mut places = Places::default();
        places.add_module(&Module { start, end: start + bytes, bias: start, path: path.into(), build_id: vec![] });
        places
    }

    #[test]
    fn ranks_have_one_place_wherever_their_modules_lie() {
        let at = |start: u64, bytes: u64, path: &str, pc: u64| {
            let mut places = with_module(start, bytes, path);
            places.add_stack(7, &[pc]);
            places.get(7)
        };
        let here = at(0x10000, 0x2345, "a", 0x10123);
        assert_eq!(here, at(0x70000, 0x2345, "a", 0x70123));
        let others = [(0x10000, "a", 0x10124), (0x10000, "b", 0x10123), (0x10000, "a", 0x13000)];
        others.iter().for_each(|(start, path, pc)| assert_ne!(here, at(*start, 0x2345, path, *pc), "{path} {pc:x}"));
    }

    #[test]
    fn a_module_ends_with_its_last_page() {
        let mut places = with_module(0x10000, 0x2345, "a");
        assert!(places.is_in_module(0x10000) && places.is_in_module(0x12fff));
        assert!(!places.is_in_module(0xffff) && !places.is_in_module(0x13000));
        // It may be loaded later.
        places.add_module(&Module { start: 0x13000, end: 0x13001, bias: 0, path: "b".into(), build_id: vec![] });
        assert!(places.is_in_module(0x13000) && places.is_in_module(0x12000) && !places.is_in_module(0x14000));
    }

    #[test]
    fn a_number_means_what_was_said_last_of_it() {
        let mut places = with_module(0x10000, 0x1000, "a");
        for (id, pc) in [(5, 1), (3, 2), (5, 3)] {
            places.add_stack(id, &[pc]);
        }
        let mut other = with_module(0x10000, 0x1000, "a");
        other.add_stack(1, &[3]);
        assert_eq!((places.get(5), places.get(4)), (other.get(1), None));
        assert_ne!(places.get(3), places.get(5));
    }
}
