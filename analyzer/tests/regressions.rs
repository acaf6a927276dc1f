//! Inputs of the fuzzer (`fuzz/`) that once broke something: they do not any more.

#[path = "../../fuzz/src/files.rs"]
#[allow(unreachable_pub, dead_code)]
mod files;
#[path = "../../fuzz/src/reports.rs"]
#[allow(unreachable_pub, dead_code)]
mod reports;
#[path = "../../fuzz/src/trace.rs"]
#[allow(unreachable_pub, dead_code)]
mod trace;
#[path = "../../fuzz/src/unpack.rs"]
#[allow(unreachable_pub, dead_code)]
mod unpack;
#[path = "../../fuzz/src/wire.rs"]
#[allow(unreachable_pub, dead_code)]
mod wire;
#[path = "../../fuzz/src/words.rs"]
#[allow(unreachable_pub, dead_code)]
mod words;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Far more than any of them needs, and far less than for ever.
const LIMIT: Duration = Duration::from_secs(20);

/// A function that takes an input.
type Target = fn(&[u8]);

fn inputs(target: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/regressions").join(target);
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files
}

#[test]
fn what_once_broke_something_does_not_any_more() {
    let targets: [(&str, Target); 5] = [
        ("files", files::target),
        ("trace", trace::target),
        ("unpack", unpack::target),
        ("wire", wire::target),
        ("words", words::target),
    ];
    let mut count = 0;
    for (name, target) in targets {
        for file in inputs(name) {
            println!("{}", file.display());
            let (input, start) = (std::fs::read(&file).unwrap(), Instant::now());
            target(&input);
            assert!(start.elapsed() < LIMIT, "{} took {:?}", file.display(), start.elapsed());
            count += 1;
        }
    }
    assert!(count > 0, "the inputs are not there");
}
