//! Debug information that was taken out of a program or library: by `objcopy --only-keep-debug`, or as a package of debug
//! symbols. It is found by the build-id, without which nobody knows whether it belongs to the file that ran.

use addr2line::Loader;
use object::{Object as _, ReadRef};
use std::path::{Path, PathBuf};
use trace_format::untrusted;

/// Systems have the debug information of installed files here.
const INSTALLED: &str = "/usr/lib/debug";

/// Gets the debug information with this build-id from elsewhere; `None`: nobody has it.
pub type Fetch = Box<dyn Fn(&[u8]) -> Option<PathBuf> + Send>;

/// The debug information of a module whose own file has none; `None` if it has some, or there is none.
pub(super) fn loader<'a>(
    path: &Path,
    file: &object::File<'a, impl ReadRef<'a>>,
    fetch: Option<&Fetch>,
) -> Option<Loader> {
    let there = path_of(path, file, fetch)?;
    Loader::new_with_sup(&there, shared(&there, fetch)).ok()
}

/// The file that has it.
pub(super) fn path_of<'a>(
    path: &Path,
    file: &object::File<'a, impl ReadRef<'a>>,
    fetch: Option<&Fetch>,
) -> Option<PathBuf> {
    let build_id = file.build_id().ok().flatten().filter(|id| !id.is_empty())?;
    if file.section_by_name(".debug_info").is_some() {
        return None;
    }
    let link = file.gnu_debuglink().ok().flatten().map(|(name, _)| String::from_utf8_lossy(name).into_owned());
    let places = by_build_id(build_id).into_iter().chain(link.iter().flat_map(|name| by_link(path, name)));
    let there = places.into_iter().find(|place| is_of(place, build_id));
    there.or_else(|| fetch?(build_id).filter(|place| is_of(place, build_id)))
}

/// `/usr/lib/debug/.build-id/ab/cdef.debug`
fn by_build_id(build_id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = build_id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Path::new(INSTALLED).join(format!(".build-id/{first:02x}/{rest}.debug")))
}

/// Where debuggers look for the file that the section `.gnu_debuglink` names.
fn by_link(path: &Path, name: &str) -> Vec<PathBuf> {
    let Some(directory) = path.parent() else { return Vec::new() };
    let installed = Path::new(INSTALLED).join(directory.strip_prefix("/").unwrap_or(directory));
    vec![directory.join(name), directory.join(".debug").join(name), installed.join(name)]
}

/// Where the source lines of a program or library are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebugInfo {
    /// In the file.
    Inside,
    /// In this file, which was taken out of it.
    Separate(PathBuf),
    /// Nowhere on this machine.
    Missing,
}

/// Where the debug information of the file is; `None` if it is no program or library.
pub fn debug_info(path: &Path) -> Option<DebugInfo> {
    let data = object::ReadCache::new(untrusted::open(path).ok()?);
    let file = object::File::parse(&data).ok()?;
    Some(match file.section_by_name(".debug_info") {
        Some(_) => DebugInfo::Inside,
        None => path_of(path, &file, None).map_or(DebugInfo::Missing, DebugInfo::Separate),
    })
}

fn is_of(path: &Path, build_id: &[u8]) -> bool {
    let Ok(file) = untrusted::open(path) else { return false };
    let data = object::ReadCache::new(file);
    object::File::parse(&data).is_ok_and(|file| file.build_id() == Ok(Some(build_id)))
}

/// The file that several files of debug information share (`.gnu_debugaltlink`, as dwz writes it).
pub(super) fn shared(path: &Path, fetch: Option<&Fetch>) -> Option<PathBuf> {
    let data = object::ReadCache::new(untrusted::open(path).ok()?);
    let file = object::File::parse(&data).ok()?;
    let (name, build_id) = file.gnu_debugaltlink().ok()??;
    let named = path.parent()?.join(String::from_utf8_lossy(name).as_ref());
    let places = by_build_id(build_id).into_iter().chain([named]);
    let there = places.into_iter().find(|place| is_of(place, build_id));
    there.or_else(|| fetch?(build_id).filter(|place| is_of(place, build_id)))
}
