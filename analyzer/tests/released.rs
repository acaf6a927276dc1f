//! Traces that earlier versions have written are read for ever: each folder of `released/` has those of one layout, all of
//! `halo.c`, with the words of `mpivet print` and `mpivet analyze`. `BLESS=1` writes these anew, if the words alone change.

use std::fs;
use std::path::Path;
use std::process::Command;
use trace_format::file::{OLDEST_VERSION, VERSION};

/// The output of the command for the traces in `dir`.
fn printed(command: &str, dir: &Path) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_mpivet"))
        .args([command, "trace"])
        .current_dir(dir)
        .env("COLUMNS", "120")
        .output();
    let run = run.unwrap();
    format!("{}{}", String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
}

#[test]
fn traces_of_earlier_layouts_are_read_as_they_were() {
    let released = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/released"));
    let all = fs::read_dir(released).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = all.filter(|path| path.is_dir()).collect();
    folders.sort();
    for layout in OLDEST_VERSION..=VERSION {
        let wanted = released.join(format!("layout-{layout}"));
        assert!(folders.contains(&wanted), "{} is missing: record halo.c", wanted.display());
    }
    for folder in folders {
        for (command, file) in [("print", "print.expected"), ("analyze", "report.expected")] {
            let (file, printed) = (folder.join(file), printed(command, &folder));
            if std::env::var_os("BLESS").is_some() {
                fs::write(&file, &printed).unwrap();
            }
            assert_eq!(printed, fs::read_to_string(&file).unwrap(), "{}", file.display());
        }
    }
}
