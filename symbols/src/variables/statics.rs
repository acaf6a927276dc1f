//! Variables that lie in a module, by its table of symbols: the linker has given each its place and its size.

use crate::names;
use crate::separate::{self, Fetch};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, ReadCache, SymbolKind};
use std::path::Path;
use trace_format::untrusted;

/// Tables with more symbols are not read.
const MAX_SYMBOLS: usize = 4 << 20;

/// A variable.
struct Static {
    start: u64,
    size: u64,
    name: String,
}

/// The variables of a module, ascending.
#[derive(Default)]
pub(super) struct Statics {
    all: Vec<Static>,
    /// The largest one: how far back one that holds an address may begin.
    largest: u64,
}

impl Statics {
    /// None if the module has no table of symbols, or its file is not the one that ran.
    pub(super) fn of(path: &Path, build_id: &[u8], fetch: Option<&Fetch>) -> Statics {
        read(path, build_id, fetch).unwrap_or_default()
    }

    /// The name, the first byte and the size of the largest variable that holds an address.
    pub(super) fn holds(&self, address: u64) -> Option<(&str, u64, u64)> {
        let behind = self.all.partition_point(|one| one.start <= address);
        let near = self.all[..behind].iter().rev().take_while(|one| address - one.start < self.largest);
        let found = near.filter(|one| address - one.start < one.size).max_by_key(|one| one.start + one.size)?;
        Some((&found.name, found.start, found.size))
    }
}

fn read(path: &Path, build_id: &[u8], fetch: Option<&Fetch>) -> Option<Statics> {
    let cache = ReadCache::new(untrusted::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    if !build_id.is_empty() && file.build_id().ok().flatten() != Some(build_id) {
        return None;
    }
    let mut found = collect(&file);
    if found.all.is_empty()
        && let Some(there) = separate::path_of(path, &file, fetch)
    {
        let cache = ReadCache::new(untrusted::open(&there).ok()?);
        found = collect(&object::File::parse(&cache).ok()?);
    }
    Some(found)
}

fn collect<'a>(file: &object::File<'a, impl object::ReadRef<'a>>) -> Statics {
    let mut found = Statics::default();
    for symbol in file.symbols().take(MAX_SYMBOLS) {
        if symbol.kind() != SymbolKind::Data || symbol.size() == 0 || symbol.is_undefined() {
            continue;
        }
        // Variables that programs put into sections of their own lie side by side on purpose.
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        if !section.is_some_and(|section| section.name().is_ok_and(|name| name.starts_with('.'))) {
            continue;
        }
        let (Ok(name), size) = (symbol.name(), symbol.size()) else { continue };
        found.largest = found.largest.max(size);
        found.all.push(Static { start: symbol.address(), size, name: readable(name) });
    }
    found.all.sort_by_key(|one| one.start);
    found
}

/// The name in the source: compilers number variables of functions.
fn readable(symbol: &str) -> String {
    let name = names::readable(symbol);
    match name.rsplit_once('.') {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => name.to_owned(),
        _ => name,
    }
}
