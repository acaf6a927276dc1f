//! Places in sources and stacks, in the words of SARIF.

use crate::places::{Calls, relative};
use crate::view::{Frame, Waits};
use engine::worlds::Names;
use serde_json::{Value, json};
use std::path::Path;

/// The working directory.
pub(super) const ROOT: &str = "%SRCROOT%";

pub(super) struct Sources<'a> {
    pub(super) directory: &'a Path,
}

impl Sources<'_> {
    /// The working directory as a URI.
    pub(super) fn root(&self) -> Option<String> {
        let path = self.directory.to_str().filter(|_| self.directory.is_absolute())?;
        Some(format!("file://{}/", encoded(path.trim_end_matches('/'))))
    }

    /// The place of calls, and their processes.
    pub(super) fn call(&self, calls: &Calls, names: &Names) -> Value {
        let site = calls.site;
        let mut location = json!({ "message": { "text": calls.words(names) } });
        if let Some(physical) = self.physical(site.file.as_deref(), site.line, site.source.as_deref()) {
            location["physicalLocation"] = physical;
        }
        if let (Some(before), Some(source), Some(line)) = (&site.before, &site.source, site.line.filter(|l| *l > 1)) {
            location["physicalLocation"]["contextRegion"] = json!({
                "startLine": line - 1, "endLine": line, "snippet": { "text": format!("{before}\n{source}") },
            });
        }
        if let Some(logical) = calls.frame().and_then(logical) {
            location["logicalLocations"] = json!([logical]);
        }
        location
    }

    /// The place where a rank waits.
    pub(super) fn waits(&self, waits: &Waits, words: &str) -> Value {
        let mut location = json!({ "message": { "text": words } });
        match self.physical(waits.file.as_deref(), waits.line, None) {
            Some(physical) => location["physicalLocation"] = physical,
            None => location["logicalLocations"] = json!([{ "name": waits.function, "kind": "function" }]),
        }
        location
    }

    /// The frames of the user's code, innermost first.
    pub(super) fn stack(&self, calls: &Calls, names: &Names) -> Value {
        let frames = calls.site.frames().iter().filter(|f| f.is_user);
        let frames: Vec<Value> = frames.map(|f| self.frame(f)).collect();
        json!({ "message": { "text": names.list(&calls.processes) }, "frames": frames })
    }

    fn frame(&self, frame: &Frame) -> Value {
        let mut location = json!({});
        if let Some(physical) = self.physical(frame.file.as_deref(), frame.line, None) {
            location["physicalLocation"] = physical;
        }
        if let Some(logical) = logical(frame) {
            location["logicalLocations"] = json!([logical]);
        }
        let mut value = json!({ "location": location });
        if let Some(module) = &frame.module {
            value["module"] = module.as_str().into();
        }
        value
    }

    fn physical(&self, file: Option<&str>, line: Option<u32>, source: Option<&str>) -> Option<Value> {
        let (file, line) = (file.filter(|f| !f.is_empty())?, line.filter(|l| *l > 0)?);
        let artifact = match relative(file, self.directory) {
            Some(inside) => json!({ "uri": encoded(&inside), "uriBaseId": ROOT }),
            None if file.starts_with('/') => json!({ "uri": format!("file://{}", encoded(file)) }),
            None => json!({ "uri": encoded(file) }),
        };
        let mut region = json!({ "startLine": line });
        if let Some(source) = source {
            region["snippet"] = json!({ "text": source });
        }
        Some(json!({ "artifactLocation": artifact, "region": region }))
    }
}

fn logical(frame: &Frame) -> Option<Value> {
    frame.function.as_ref().map(|function| json!({ "fullyQualifiedName": function, "kind": "function" }))
}

/// A path as a URI has it (RFC 3986).
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        let sources = Sources { directory: Path::new("/home/m e") };
        assert_eq!(sources.root().as_deref(), Some("file:///home/m%20e/"));
        let uri = |file: &str| {
            let place = sources.physical(Some(file), Some(3), None).unwrap();
            (place["artifactLocation"]["uri"].clone(), place["artifactLocation"]["uriBaseId"].clone())
        };
        assert_eq!(uri("/home/m e/a:b.c"), (json!("a%3Ab.c"), json!(ROOT)));
        assert_eq!(uri("src/\u{e4}.c"), (json!("src/%C3%A4.c"), json!(ROOT)));
        assert_eq!(uri("/usr/include/mpi.h"), (json!("file:///usr/include/mpi.h"), Value::Null));
        assert_eq!(uri("../a.c"), (json!("../a.c"), Value::Null));
        assert_eq!(Sources { directory: Path::new("") }.root(), None);
        assert_eq!(Sources { directory: Path::new("/") }.root().as_deref(), Some("file:///"));
    }
}
