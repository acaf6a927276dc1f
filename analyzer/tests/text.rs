//! The trace examples of the catalogue, and the cases of `tests/traces/*.trace`.

use analyzer::testing::{check_trace, try_trace};
use std::path::Path;
use trace_format::catalogue::CHECKS;

#[test]
fn examples_of_the_catalogue_find_what_they_are_for() {
    for check in CHECKS {
        for example in check.doc().split("```trace").skip(1) {
            let body = example.split("```").next().unwrap_or("");
            // Doc comments keep the blank behind `///`.
            let text: String = body.lines().map(|l| format!("{}\n", l.strip_prefix(' ').unwrap_or(l))).collect();
            let mark = |severity: &str| text.contains(&format!("//~ {severity}{}", check.name));
            assert!(["", "warning:", "note:"].into_iter().any(mark), "{}: the example marks nothing", check.name);
            check_trace(&text);
        }
    }
}

/// Cases in a file are separated by `=== name`.
fn cases(file: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let mut cases: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("===") {
            Some(name) => cases.push((name.trim().to_owned(), String::new())),
            None => {
                if let Some((_, body)) = cases.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    cases
}

#[test]
fn cases_of_the_trace_files() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut files: Vec<_> = std::fs::read_dir(dir).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "trace"));
    files.sort();
    let only = std::env::var("CASE").ok();
    let (mut failed, mut count) = (Vec::new(), 0);
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (name, body) in cases(&file) {
            let full = format!("{stem}: {name}");
            if only.as_ref().is_some_and(|o| !full.contains(o.as_str())) {
                continue;
            }
            count += 1;
            let result = std::panic::catch_unwind(|| try_trace(&body));
            let what = match result {
                Ok(Ok(())) => continue,
                Ok(Err(what)) => what,
                Err(_) => "panicked".to_owned(),
            };
            failed.push(format!("== {full}\n{what}\n--- trace:\n{body}"));
        }
    }
    println!("{count} cases");
    assert!(failed.is_empty(), "{} of {count} cases failed\n{}", failed.len(), failed.join("\n"));
}
