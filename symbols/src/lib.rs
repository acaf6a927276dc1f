//! Addresses to source lines, from the modules that a process had loaded and their debug information.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod modules;
mod names;
mod separate;
mod shown;
pub mod variables;

use addr2line::Loader;
pub use modules::{Files, Loaded, Modules};
use object::Object;
pub use separate::{DebugInfo, Fetch, debug_info};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use trace_format::location::Location;
use trace_format::run::discovery::Frame;
use trace_format::untrusted;

/// Larger modules have no source lines.
const MAX_MODULE: u64 = 16 << 30;
/// Bytes. Larger files are no sources that anybody has written, and are not read.
pub const MAX_SOURCE: u64 = 64 << 20;

/// Debug information of modules, each file opened once: ranks of one program share it.
#[derive(Default)]
pub struct Loaders {
    open: HashMap<(String, Vec<u8>), Option<Opened>>,
    /// Gets debug information that is neither in a module's file nor beside it.
    pub fetch: Option<Fetch>,
    /// Why modules have no source lines, by their paths: their file is gone, or is not the one that ran.
    pub problems: BTreeMap<String, String>,
}

impl Loaders {
    /// How many modules were looked for, each by its path and build-id: those that were not found, too.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// The source places of an instruction, innermost inlined function first; never empty: where the module has no debug
    /// information that belongs to what ran, the one place has no file (see [`Loaders::problems`]).
    pub fn locate(&mut self, frame: &Frame) -> Vec<Location> {
        let (bare, offset) = (frame.bare(), frame.offset);
        let Some(opened) = self.opened(frame) else { return vec![bare] };
        let mut found = Vec::new();
        if let Ok(mut frames) = opened.lines().find_frames(offset) {
            while let Ok(Some(frame)) = frames.next() {
                let function = frame.function.as_ref().and_then(|f| Some(names::readable(&f.demangle().ok()?)));
                let location = frame.location.as_ref();
                found.push(Location {
                    function: function.unwrap_or_default(),
                    file: location.and_then(|l| l.file).unwrap_or_default().to_owned(),
                    line: location.and_then(|l| l.line).unwrap_or(0),
                    ..bare.clone()
                });
            }
        }
        if found.is_empty() {
            found.push(bare);
        }
        if found.iter().all(|l| l.function.is_empty())
            && let Some(symbol) = opened.symbol(offset)
        {
            found[0].function = names::readable(symbol);
        }
        found
    }

    /// Takes over the debug information that others have opened. Modules that they have not found may still be fetched.
    pub fn adopt(&mut self, others: Loaders) {
        let found = others.open.into_iter().filter(|(_, opened)| opened.as_ref().is_some_and(|o| o.has_lines));
        found.for_each(|(key, opened)| _ = self.open.entry(key).or_insert(opened));
    }

    fn opened(&mut self, frame: &Frame) -> Option<&Opened> {
        let key = (frame.module.clone(), frame.build_id.clone());
        if !self.open.contains_key(&key) {
            let opened = open(frame, self.fetch.as_ref()).inspect_err(|why| {
                self.problems.insert(frame.module.clone(), why.clone());
            });
            self.open.insert(key.clone(), opened.ok());
        }
        self.open.get(&key).and_then(Option::as_ref)
    }
}

/// A module's file, and its debug information.
struct Opened {
    own: Loader,
    /// Its debug information, if that is in another file.
    separate: Option<Loader>,
    has_lines: bool,
}

impl Opened {
    fn lines(&self) -> &Loader {
        self.separate.as_ref().unwrap_or(&self.own)
    }

    fn symbol(&self, offset: u64) -> Option<&str> {
        self.separate.as_ref().and_then(|s| s.find_symbol(offset)).or_else(|| self.own.find_symbol(offset))
    }
}

fn open(frame: &Frame, fetch: Option<&Fetch>) -> Result<Opened, String> {
    let path: &Path = frame.module.as_ref();
    let data = untrusted::open(path).map_err(|e| e.to_string())?;
    if data.metadata().is_ok_and(|m| m.len() > MAX_MODULE) {
        return Err(format!("it has more than {MAX_MODULE} bytes"));
    }
    // Only the headers and the build-id are read.
    let data = object::ReadCache::new(data);
    let file = object::File::parse(&data).map_err(|e| e.to_string())?;
    let build_id = file.build_id().ok().flatten().unwrap_or(&[]);
    if !frame.build_id.is_empty() && build_id != frame.build_id {
        return Err("the file was rebuilt since the run (its build-id differs): no source lines".into());
    }
    let separate = separate::loader(path, &file, fetch);
    let has_lines = separate.is_some() || file.section_by_name(".debug_info").is_some();
    Ok(Opened { own: Loader::new(path).map_err(|e| e.to_string())?, separate, has_lines })
}

/// Reads lines of source files, each file once.
#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// The text of a line, without its line end; `None` if the file or the line is not there.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| {
            let bytes = untrusted::read(file.as_ref(), MAX_SOURCE).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        });
        lines.as_ref()?.get((line as usize).checked_sub(1)?).map(String::as_str)
    }
}
