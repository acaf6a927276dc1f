//! The environment, also of a program that has cleared it before recording begins: then it is the one that the process was started
//! with.

use std::collections::HashMap;
use std::env::VarError;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::OnceLock;

/// The value of the variable. Variables that the program has set or taken away itself are as it left them.
pub fn var_os(name: &str) -> Option<OsString> {
    std::env::var_os(name).or_else(|| {
        // Without this variable the library would not be here.
        let is_cleared = std::env::var_os("LD_PRELOAD").is_none();
        if is_cleared { first().get(OsStr::new(name)).cloned() } else { None }
    })
}

/// The value as text.
pub fn var(name: &str) -> Result<String, VarError> {
    var_os(name).ok_or(VarError::NotPresent)?.into_string().map_err(VarError::NotUnicode)
}

/// The environment that the process was started with, as far as the program has left it in its place.
fn first() -> &'static HashMap<OsString, OsString> {
    static FIRST: OnceLock<HashMap<OsString, OsString>> = OnceLock::new();
    FIRST.get_or_init(|| parse(&std::fs::read("/proc/self/environ").unwrap_or_default()))
}

/// The variables of an environment, whose entries end in a zero byte.
fn parse(block: &[u8]) -> HashMap<OsString, OsString> {
    let entries = block.split(|b| *b == 0).filter_map(|entry| {
        let equals = entry.iter().position(|b| *b == b'=')?;
        Some((entry.get(..equals)?, entry.get(equals + 1..)?))
    });
    entries.map(|(name, value)| (OsStr::from_bytes(name).to_owned(), OsString::from_vec(value.to_vec()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_taken_apart() {
        let found = parse(b"A=1\0MPIVET_DIR=/a=b\0broken\0EMPTY=\0");
        let value = |name: &str| found.get(OsStr::new(name)).map(|v| v.to_str().unwrap());
        assert_eq!((value("A"), value("MPIVET_DIR")), (Some("1"), Some("/a=b")));
        assert_eq!((value("EMPTY"), value("broken")), (Some(""), None));
    }
}
