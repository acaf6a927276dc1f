//! Finds the debugger DLL of a process: the file that `MPIR_dll_name` in its memory names.

use crate::error::{Error, Result};
use crate::library::{Family, Library};
use crate::memory::Memory;
use crate::modules::Module;
use crate::symbols::{Symbol, Symbols};
use mqs::names;
use std::path::{Path, PathBuf};

/// Places of Open MPI's DLL below the directory of its library, as distributions move it: its `MPIR_dll_name` may
/// name the place in which it was built.
const OPEN_MPI_PLACES: [&str; 3] = [
    "openmpi/lib/openmpi3/libompi_dbg_msgq.so",
    "openmpi/libompi_dbg_msgq.so",
    "openmpi/lib/openmpi/libompi_dbg_msgq.so",
];

/// Paths that a module names, in the order of preference.
pub fn named_by(module: &Module, symbols: &Symbols, memory: &Memory) -> Vec<PathBuf> {
    let name = |name: &std::ffi::CStr| symbols.find(name.to_str().unwrap_or_default());
    let mut named: Vec<PathBuf> = name(names::DLL_NAME).and_then(|s| text(s, memory)).into_iter().collect();
    if let Some(list) = name(names::DLL_LOCATIONS) {
        named.extend(locations(list.address, memory));
    }
    let near = |path: &PathBuf| path.file_name().zip(module.path.parent()).map(|(file, dir)| dir.join(file));
    let beside: Vec<PathBuf> = named.iter().filter_map(near).collect();
    if beside.iter().any(|p| p.file_stem().is_some_and(|n| n == "libompi_dbg_msgq")) {
        let dir = module.path.parent().unwrap_or(Path::new("/"));
        named.extend(OPEN_MPI_PLACES.map(|place| dir.join(place)));
    }
    named.extend(beside);
    named
}

/// The document has `char *`, libraries have `char []`: the size of the symbol tells.
fn text(symbol: &Symbol, memory: &Memory) -> Option<PathBuf> {
    let direct = memory.text(symbol.address).ok().filter(|text| text.starts_with('/'));
    let found = match direct {
        Some(text) => text,
        None if symbol.size == 8 => memory.text(memory.word(symbol.address).ok()?).ok()?,
        None => return None,
    };
    (!found.is_empty()).then(|| found.into())
}

/// A list of texts that ends with null, behind a pointer.
fn locations(pointer: u64, memory: &Memory) -> Vec<PathBuf> {
    const MOST: u64 = 64;
    let Ok(list) = memory.word(pointer) else { return Vec::new() };
    if list == 0 {
        return Vec::new();
    }
    let texts = (0..MOST).map_while(|i| memory.word(list + 8 * i).ok().filter(|text| *text != 0));
    texts.filter_map(|text| memory.text(text).ok().filter(|t| !t.is_empty())).map(PathBuf::from).collect()
}

/// The first of the named files that exists.
pub fn choose(named: &[PathBuf], library: &Library) -> Result<PathBuf> {
    match named.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(Error::NoDll(no_dll(named, library))),
    }
}

fn no_dll(named: &[PathBuf], library: &Library) -> String {
    let why = match named.first() {
        None => "names no debugger DLL (MPIR_dll_name)".to_owned(),
        Some(path) => format!("names a debugger DLL that is not there ({})", path.display()),
    };
    let own = match library.family {
        Family::OpenMpi => ", or install the DLL that belongs to it",
        Family::Mpich => ", or use an MPICH that was configured with --enable-debuginfo and the device ch3",
        Family::Unknown => "",
    };
    format!(
        "{library} {why}. Start the job with `mpivet run` (--no-stop lets it hang) or with libmpivet.so in LD_PRELOAD, \
         whose DLL serves every MPI library{own}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol<T>(what: &T) -> Symbol {
        Symbol {
            name: "x".into(),
            address: std::ptr::from_ref(what) as u64,
            size: size_of::<T>() as u64,
            function: false,
        }
    }

    #[test]
    fn a_name_is_an_array_or_a_pointer() {
        let memory = Memory::of(std::process::id() as i32);
        let array = *b"/usr/lib/x.so\0";
        let pointer = array.as_ptr();
        let expected = PathBuf::from("/usr/lib/x.so");
        assert_eq!(text(&symbol(&array), &memory), Some(expected.clone()));
        assert_eq!(text(&symbol(&pointer), &memory), Some(expected.clone()));
        assert_eq!(text(&symbol(&[0_u8; 16]), &memory), None);
        let list = [pointer, c"/b".as_ptr().cast(), std::ptr::null()];
        let behind = list.as_ptr();
        assert_eq!(locations(&raw const behind as u64, &memory), [expected, "/b".into()]);
    }

    #[test]
    fn who_has_no_dll_is_told_what_to_do() {
        let library =
            Library { family: Family::Mpich, version: "4.0.2".into(), device: "ch4:ucx".into(), path: "/l".into() };
        let Err(Error::NoDll(text)) = choose(&[], &library) else { panic!("found") };
        assert!(
            text.starts_with("MPICH 4.0.2 (ch4:ucx) names no debugger DLL") && text.contains("LD_PRELOAD"),
            "{text}"
        );
    }
}
