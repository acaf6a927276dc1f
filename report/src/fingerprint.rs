//! Recognition of a finding. Two questions need two notions:
//!
//! - Is it the same finding in another run of the same program ([`FindingKey`], for `--explore`)? Its places are the
//!   same to the line.
//! - Is it the same mistake in another version of the source ([`assign`], for baselines and for readers of SARIF)? A
//!   line that was inserted above changes nothing, nor do another directory, number of ranks or MPI library.

use crate::view::{FindingView, Frame, Site};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// The beginning of all fingerprints. A new recipe gets a new beginning, so that old baselines are refused and not
/// misread.
pub(crate) const VERSION: &str = "v1-";

/// A finding, the same in all runs of one program: the check and the places in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FindingKey(&'static str, Vec<String>);

impl FindingView {
    pub(super) fn key(&self) -> FindingKey {
        let address = |f: &Frame| format!("{}+{:#x}", f.module.as_deref().unwrap_or_default(), f.offset);
        let exact = |site: &Site| match (&site.file, site.line, site.stack.get(site.user)) {
            // A library makes several calls for one line of the program.
            (Some(file), Some(line), _) if site.library.is_some() => match site.frames().first() {
                Some(Frame { file: Some(inside), line: Some(at), .. }) => format!("{file}:{line} {inside}:{at}"),
                inside => format!("{file}:{line} {}", inside.map(address).unwrap_or_default()),
            },
            (Some(file), Some(line), _) => format!("{file}:{line}"),
            (_, _, Some(f)) => address(f),
            _ => site.function.clone(),
        };
        FindingKey(self.check, self.places(exact).unwrap_or_else(|| vec![self.message.clone()]))
    }

    /// Its places, each once: several ranks are often at the same one.
    fn places(&self, place: impl Fn(&Site) -> String) -> Option<Vec<String>> {
        let mut places: Vec<String> = self.sites.iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        (!places.is_empty()).then_some(places)
    }

    /// The part of it that outlives changes of the source elsewhere. The code stands for the check, whose name may
    /// change.
    fn lasting(&self) -> String {
        let places = self.places(lasting).unwrap_or_else(|| vec![words(&self.message).to_owned()]);
        format!("{}\n{}", self.code, places.join("\n"))
    }
}

/// Gives each finding its fingerprint. Findings that cannot be told apart are counted, in the order of the report, so
/// that a second one at a place is never taken for the first.
pub(super) fn assign(findings: &mut [FindingView]) {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let lasting = finding.lasting();
        let time = times.entry(lasting.clone()).or_default();
        *time += 1;
        finding.fingerprint = format!("{VERSION}{:016x}", xxh3_64(format!("{lasting}\n{time}").as_bytes()));
    }
}

/// A place by what is written there: MPI function, role, name of the file, enclosing function, text of the line. The
/// file's directory is left out: it depends on where the sources are and where the job was started.
fn lasting(site: &Site) -> String {
    let frame = site.stack.get(site.user);
    let around = frame.and_then(|f| f.function.as_deref()).map_or("", source_function);
    let file = match (&site.file, frame.and_then(|f| f.module.as_deref())) {
        (Some(file), _) => file.as_str(),
        (None, Some(module)) => module,
        (None, None) => "",
    };
    let file = file.rsplit('/').next().unwrap_or_default();
    let text = site.source.as_deref().unwrap_or_default();
    let text: Vec<&str> = text.split_whitespace().collect();
    [&site.function, words(&site.role), file, around, &text.join(" ")].join("\t")
}

/// The words of a sentence without what depends on the run: ranks (also those in front of a role), counts, addresses.
fn words(text: &str) -> &str {
    let text = match text.strip_prefix("rank").and_then(|rest| rest.split_once(": ")) {
        Some((ranks, role)) if ranks.bytes().any(|b| b.is_ascii_digit()) => role,
        _ => text,
    };
    let end = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let text = text[..end].trim_end_matches(['(', ' ']);
    text.strip_suffix("ranks").or(text.strip_suffix("rank")).unwrap_or(text).trim_end()
}

/// A function as the source has it: without what compilers append to the parts and copies that they make of one.
fn source_function(name: &str) -> &str {
    match name.find('.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_lose_what_depends_on_the_run() {
        for (role, lasting) in [
            ("waits for rank 1", "waits for"),
            ("waits for ranks 1-3", "waits for"),
            ("ranks 1,2: the blocking form", "the blocking form"),
            ("rank 3: the send", "the send"),
            ("takes part with 8 x MPI_INT", "takes part with"),
            ("finished here (3 more places)", "finished here"),
            ("the send", "the send"),
            ("ranked: first", "ranked: first"),
            ("", ""),
        ] {
            assert_eq!(words(role), lasting, "{role}");
        }
    }

    #[test]
    fn parts_of_functions_are_the_function() {
        let of = |name| source_function(name);
        assert_eq!(
            [of("main._omp_fn.0"), of("solve.constprop.1"), of("main"), of(".start")],
            ["main", "solve", "main", ".start"]
        );
    }
}
