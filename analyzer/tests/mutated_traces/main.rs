//! Good traces with something changed, thousands of them: the analysis never panics and ends soon, and there is a report in
//! every format, in which nothing of the trace gets out of where it is shown. Always the same changes, or others with
//! `MPIVET_TEST_SEED=N`; `MPIVET_TEST_MUTATIONS=N` makes so many.

mod good;
mod mutate;
mod random;
#[path = "../../../fuzz/src/reports.rs"]
#[allow(unreachable_pub, dead_code)]
mod reports;

use good::{Block, Rank, cases};
use random::Random;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use trace_format::settings::selection::Selection;
use trace_format::writer::file_header;

/// Far more than any of them needs.
const LIMIT: Duration = Duration::from_secs(10);

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Processor time of this thread; on a busy machine the elapsed time is longer.
fn time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

fn clear(dir: &Path) {
    for entry in std::fs::read_dir(dir).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
}

/// Writes a changed trace; each number makes another one.
fn write(dir: &Path, cases: &[Vec<Rank>], number: u64) {
    clear(dir);
    let mut random = Random::new(number);
    let case = random.of(cases).unwrap().clone();
    for (rank, bytes) in mutate::files(case, &mut random) {
        rank.write(dir, &bytes);
    }
}

#[test]
fn whatever_is_changed_there_is_a_report() {
    let seed = number("MPIVET_TEST_SEED").unwrap_or(1);
    let count = number("MPIVET_TEST_MUTATIONS").unwrap_or(300);
    println!("MPIVET_TEST_SEED={seed}");
    let cases = cases();
    assert!(cases.len() > 300, "{} cases", cases.len());
    let dir = reports::scratch();
    let mut reported = 0;
    for mutation in seed..seed + count {
        write(&dir, &cases, mutation);
        let start = time();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let selection = if mutation % 2 == 0 { Selection::default() } else { reports::all_checks() };
            let report = reports::report(&dir, selection)?;
            reports::tell(&report, reports::Telling::Everything);
            if mutation % 4 == 0 {
                reports::print(&dir);
                reports::export(&dir);
            }
            Some(())
        }));
        let took = time().saturating_sub(start);
        assert!(took < LIMIT, "MPIVET_TEST_SEED={mutation} MPIVET_TEST_MUTATIONS=1: took {took:?}");
        match result {
            Ok(told) => reported += u64::from(told.is_some()),
            Err(_) => panic!("MPIVET_TEST_SEED={mutation} MPIVET_TEST_MUTATIONS=1: see above"),
        }
    }
    assert!(reported * 10 > count * 9, "{reported} of {count} could be read at all");
}

/// Good traces for `scripts/fuzz-corpus`, a directory each below `MPIVET_TEST_TRACES`.
#[test]
#[ignore = "writes what the fuzzer begins with"]
fn good_traces_are_written() {
    let Some(place) = std::env::var_os("MPIVET_TEST_TRACES") else { return };
    for (i, ranks) in cases().iter().enumerate() {
        let dir = Path::new(&place).join(i.to_string());
        std::fs::create_dir_all(&dir).unwrap();
        ranks.iter().for_each(|rank| rank.write(&dir, &rank.bytes(6)));
    }
}

/// Calls of a process that the JSON report knows of.
fn calls(json: &Value, process: usize) -> u64 {
    json["task"]["ended"][process]["calls"].as_u64().unwrap_or(0)
}

#[test]
fn a_cut_file_counts_up_to_the_cut_and_is_named() {
    let seed = number("MPIVET_TEST_SEED").unwrap_or(1);
    println!("MPIVET_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let cases: Vec<_> =
        cases().into_iter().filter(|ranks| ranks.iter().all(|r| r.header.launch.namespace.is_empty())).collect();
    let dir = reports::scratch();
    let (mut cuts, mut known) = (0, 0);
    while cuts < 300 {
        let ranks = random.of(&cases).unwrap();
        let cut = random.below(ranks.len());
        clear(&dir);
        let lap = 1 + random.below(3);
        ranks.iter().for_each(|rank| rank.write(&dir, &rank.bytes(lap)));
        let mut bytes = file_header(&ranks[cut].header);
        let (mut ends, mut before) = (vec![(bytes.len(), 0)], 0);
        for block in ranks[cut].blocks(lap) {
            before += block.calls;
            bytes.extend(Block::sealed(block));
            ends.push((bytes.len(), before));
        }
        let block = random.below(ends.len() - 1);
        let len = ends[block].0 + random.below(ends[block + 1].0 - ends[block].0);
        bytes.truncate(len);
        let (end, before) = *ends.iter().rev().find(|(end, _)| *end <= len).unwrap();
        ranks[cut].write(&dir, &bytes);
        let json = reports::report(&dir, Selection::default()).unwrap().to_json();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(calls(&json, cut), before, "the calls before the cut: {json:#}");
        let defects = json["task"]["defects"].as_array().unwrap();
        let named = defects
            .iter()
            .any(|d| d["rank"] == cut && d["what"].as_str().is_some_and(|w| w.contains("in the middle of a block")));
        assert_eq!(named, end < len, "{defects:?}");
        cuts += 1;
        known += before;
    }
    assert!(known > 30, "{known} calls before the cuts");
}

#[test]
fn other_commands_bear_it_too() {
    let seed = number("MPIVET_TEST_SEED").unwrap_or(1);
    println!("MPIVET_TEST_SEED={seed}");
    let cases = cases();
    let dir = reports::scratch();
    let path = dir.to_str().unwrap();
    for mutation in seed..seed + 40 {
        write(&dir, &cases, mutation);
        for arguments in [
            &["print", path][..],
            &["print", "--events", "--format=json", path],
            &["stats", path],
            &["stats", "--format=csv", path],
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_mpivet")).args(arguments).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let context = format!("MPIVET_TEST_SEED={mutation}: {arguments:?}: {:?}: {said}", output.status);
            assert!(matches!(output.status.code(), Some(0 | 2 | 3)) && !said.contains("panicked"), "{context}");
            reports::harmless(&context, &String::from_utf8_lossy(&output.stdout));
            reports::harmless(&context, &said);
        }
    }
}

/// Files that people write, with something changed: `mpivet config` and suppressions.
#[test]
fn settings_with_mistakes_are_explained() {
    let seed = number("MPIVET_TEST_SEED").unwrap_or(1);
    println!("MPIVET_TEST_SEED={seed}");
    let settings =
        "checks = [\"-MV4\", \"message-race\"]\nmax-findings = 7\nquiet = true\n\n[severity]\nMV1 = \"note\"\n";
    let accepted = "[[suppress]]\ncheck = \"leak-*\"\nfunction = \"MPI_Comm_dup\"\nreason = \"\u{fc}ber\"\ncount = 2\nuntil = 2027-01-31\n";
    let mut random = Random::new(seed);
    for _ in 0..3_000 {
        let text = changed(accepted, &mut random);
        _ = report::gate::suppressions::parse("file", &text);
    }
    let dir = reports::scratch();
    for _ in 0..40 {
        let text = changed(settings, &mut random);
        std::fs::write(dir.join("mpivet.toml"), &text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mpivet")).arg("config").current_dir(&dir).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2)) && !said.contains("panicked"), "{text}\n{said}");
        reports::harmless("mpivet config", &said);
    }
}

fn changed(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let (i, j) = (random.below(chars.len()), random.below(chars.len()));
        match random.below(5) {
            _ if chars.is_empty() => {}
            0 => _ = chars.remove(i),
            1 => {
                chars[i] = *random.of(&['\u{1b}', '\u{fc}', '"', '[', '\0', '=', '\n', '9', '*', '\u{10ffff}']).unwrap()
            }
            2 => chars.swap(i, j),
            3 => chars.truncate(i),
            _ => _ = chars.splice(i..i, random.number().to_string().chars()).count(),
        }
    }
    chars.into_iter().collect()
}
