//! The program and the libraries that a process has loaded, and where.

use crate::error::{Error, Result};
use crate::process::{Process, io_error};
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, ReadCache, elf};
use std::fs::File;
use std::path::{Path, PathBuf};

/// One line of `/proc/PID/maps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    pub start: u64,
    pub end: u64,
    pub executable: bool,
    pub offset: u64,
    /// Empty for memory that is of no file.
    pub path: String,
}

/// An ELF file that is mapped.
#[derive(Debug, Clone)]
pub struct Module {
    /// The path by which the process knows it.
    pub path: PathBuf,
    /// The path by which this process can open the file.
    pub file: PathBuf,
    pub start: u64,
    pub end: u64,
    /// The difference of addresses in memory and in the file.
    pub bias: u64,
}

impl Module {
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
    }

    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// All mappings of a process.
pub fn mappings(process: Process) -> Result<Vec<Mapping>> {
    let text = std::fs::read_to_string(process.dir().join("maps")).map_err(|e| io_error(&e))?;
    // The file of a process that has ended is empty.
    if text.is_empty() { Err(Error::Gone) } else { Ok(text.lines().filter_map(mapping).collect()) }
}

fn mapping(line: &str) -> Option<Mapping> {
    let mut rest = line;
    let mut word = || {
        let (word, more) = rest.split_once(' ')?;
        rest = more;
        Some(word)
    };
    let (range, rights, offset) = (word()?, word()?, word()?);
    let (start, end) = range.split_once('-')?;
    let _device = word()?;
    let path = rest.trim_start().split_once(' ').map_or("", |(_inode, path)| path.trim_start());
    Some(Mapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        executable: rights.contains('x'),
        offset: u64::from_str_radix(offset, 16).ok()?,
        path: path.to_owned(),
    })
}

/// The program and libraries among the mappings, the program first, the others by address.
pub fn modules(process: Process, mappings: &[Mapping]) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for first in mappings.iter().filter(|m| m.path.starts_with('/')) {
        if modules.iter().any(|m| m.path.as_os_str() == first.path.as_str()) {
            continue;
        }
        let of_file = || mappings.iter().filter(|m| m.path == first.path);
        if !of_file().any(|m| m.executable) {
            continue;
        }
        let file = reachable(process, &first.path);
        let Some(bias) = bias(&file, first) else { continue };
        let end = of_file().map(|m| m.end).max().unwrap_or(first.end);
        modules.push(Module { path: first.path.clone().into(), file, start: first.start, end, bias });
    }
    let program = process.program();
    modules.sort_by_key(|m| (Some(&m.path) != program.as_ref(), m.start));
    modules
}

/// The file by its own name, or as the process sees it, which may be in a container.
fn reachable(process: Process, path: &str) -> PathBuf {
    let inside = process.dir().join("root").join(path.trim_start_matches('/'));
    if Path::new(path).exists() || !inside.exists() { path.into() } else { inside }
}

/// The difference of addresses in memory and in the file, by the segment that the mapping begins with.
fn bias(file: &Path, mapping: &Mapping) -> Option<u64> {
    let cache = ReadCache::new(File::open(file).ok()?);
    let elf = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
    let endian = elf.endian();
    let headers = elf.elf_header().program_headers(endian, &cache).ok()?;
    let page = |address: u64| address & !0xfff;
    let segment = headers
        .iter()
        .find(|h| h.p_type(endian) == elf::PT_LOAD && page(h.p_offset(endian)) == page(mapping.offset))?;
    Some(mapping.start.wrapping_sub(page(segment.p_vaddr(endian))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_understood() {
        let line = "7f2a3c000000-7f2a3c021000 r-xp 00028000 fe:00 1234      /usr/lib/a b.so";
        let m = mapping(line).unwrap();
        assert_eq!((m.start, m.end, m.offset), (0x7f2a3c000000, 0x7f2a3c021000, 0x28000));
        assert!(m.executable && m.path == "/usr/lib/a b.so");
        assert_eq!(mapping("7ffd000-7ffe000 rw-p 00000000 00:00 0 ").unwrap().path, "");
        assert_eq!(mapping("7ffd000-7ffe000 rw-p 00000000 00:00 0      [heap]").unwrap().path, "[heap]");
        assert!(mapping("x").is_none());
    }

    #[test]
    fn this_program_is_the_first_module() {
        let me = Process::find(std::process::id() as i32).unwrap();
        let modules = modules(me, &mappings(me).unwrap());
        let here = this_program_is_the_first_module as *const () as u64;
        assert!(modules[0].contains(here) && modules[0].path == std::env::current_exe().unwrap());
        assert!(modules.iter().any(|m| m.name().starts_with("libc.so")));
    }
}
