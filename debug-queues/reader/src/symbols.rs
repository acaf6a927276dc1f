//! Symbols of a module, from both tables of its file.

use crate::error::{Error, Result};
use crate::modules::Module;
use object::{Object as _, ObjectSymbol as _, ReadCache, SymbolKind};
use std::fs::File;

/// A symbol at its address in the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub function: bool,
}

/// All symbols that a module defines, first those that other modules see.
#[derive(Debug, Default)]
pub struct Symbols(Vec<Symbol>);

impl Symbols {
    pub fn of(module: &Module) -> Result<Symbols> {
        let file = File::open(&module.file).map_err(|e| Error::file(&module.file, e))?;
        let cache = ReadCache::new(file);
        let elf = object::File::parse(&cache).map_err(|e| Error::file(&module.file, e))?;
        let mut symbols = Vec::new();
        for symbol in elf.dynamic_symbols().chain(elf.symbols()) {
            if symbol.is_undefined() || !matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data) {
                continue;
            }
            let Ok(name) = symbol.name() else { continue };
            symbols.push(Symbol {
                name: name.to_owned(),
                address: symbol.address().wrapping_add(module.bias),
                size: symbol.size(),
                function: symbol.kind() == SymbolKind::Text,
            });
        }
        Ok(Symbols(symbols))
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.0.iter().find(|s| s.name == name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Functions whose code the address is in; several may have one place.
    pub fn functions_at(&self, address: u64) -> impl Iterator<Item = &Symbol> {
        let covers = move |s: &&Symbol| s.function && address >= s.address && address - s.address < s.size;
        self.0.iter().filter(covers)
    }
}

/// Names that a module takes from others.
pub fn imports(module: &Module) -> Result<Vec<String>> {
    let file = File::open(&module.file).map_err(|e| Error::file(&module.file, e))?;
    let cache = ReadCache::new(file);
    let elf = object::File::parse(&cache).map_err(|e| Error::file(&module.file, e))?;
    let undefined = elf.dynamic_symbols().filter(|s| s.is_undefined());
    Ok(undefined.filter_map(|s| s.name().ok().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::{mappings, modules};
    use crate::process::Process;

    #[unsafe(no_mangle)]
    static MPIVET_TEST_DATA: u64 = 7;

    #[test]
    fn own_symbols_are_found_where_they_are() {
        let me = Process::find(std::process::id() as i32).unwrap();
        let modules = modules(me, &mappings(me).unwrap());
        let symbols = Symbols::of(&modules[0]).unwrap();
        let found = symbols.find("MPIVET_TEST_DATA").unwrap();
        assert_eq!((found.address, found.size), (&raw const MPIVET_TEST_DATA as u64, 8));
        let here = own_symbols_are_found_where_they_are as *const () as u64;
        assert!(symbols.functions_at(here + 1).any(|s| s.name.contains("own_symbols_are_found")));
        assert!(symbols.find("malloc").is_none(), "malloc is libc's");
        assert!(imports(&modules[0]).unwrap().contains(&"malloc".to_owned()));
    }
}
