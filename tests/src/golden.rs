//! Reports kept beside the programs: `bug.expected`, or `bug.mpich.expected` and `bug.openmpi.expected` where the two
//! libraries lead to different reports. `BLESS=1` writes them.

use anyhow::{Result, bail};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The names of the MPIs that a report may be kept for.
const MPIS: [&str; 2] = ["mpich", "openmpi"];

/// Are reports kept for this MPI? They hold the library's own words and its decisions about buffering, so that they are
/// kept for the versions of the system alone.
pub fn is_kept_for(mpi: &str) -> bool {
    MPIS.contains(&mpi)
}

fn common(program: &Path) -> PathBuf {
    program.with_extension("expected")
}

fn of_mpi(program: &Path, mpi: &str) -> PathBuf {
    program.with_extension(format!("{mpi}.expected"))
}

/// The report kept for `program` under `mpi`.
fn kept(program: &Path, mpi: &str) -> Option<String> {
    std::fs::read_to_string(of_mpi(program, mpi)).or_else(|_| std::fs::read_to_string(common(program))).ok()
}

pub fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Fails with the differences if `report` is not the one that is kept.
pub fn compare(program: &Path, mpi: &str, report: &str) -> Result<()> {
    match kept(program, mpi) {
        None => bail!("no report is kept beside {}: BLESS=1 writes it. It would be\n{report}", program.display()),
        Some(kept) if kept == report => Ok(()),
        Some(kept) => {
            let diff = TextDiff::from_lines(kept.as_str(), report);
            let diff = diff.unified_diff().context_radius(3).header("kept", "now").to_string();
            bail!("the report is not the one that is kept (BLESS=1 accepts it):\n{diff}")
        }
    }
}

/// New reports, collected while the tests run and written in the end.
#[derive(Debug, Default)]
pub struct Blessings(Mutex<BTreeMap<PathBuf, BTreeMap<&'static str, String>>>);

impl Blessings {
    pub fn add(&self, program: &Path, mpi: &'static str, report: String) {
        let mut all = self.0.lock().expect("no test panics in here");
        all.entry(program.to_owned()).or_default().insert(mpi, report);
    }

    /// Writes one file where the reports agree, one for each MPI where they do not. The reports of MPIs that were not
    /// run stay as they are.
    pub fn write(&self) -> Result<()> {
        for (program, new) in self.0.lock().expect("no test panics in here").iter() {
            let all: BTreeMap<&str, String> = MPIS
                .iter()
                .filter_map(|mpi| Some((*mpi, new.get(mpi).cloned().or_else(|| kept(program, mpi))?)))
                .collect();
            let mut texts = all.values();
            let first = texts.next();
            if let Some(first) = first.filter(|first| texts.all(|text| text == *first)) {
                std::fs::write(common(program), first)?;
                for mpi in MPIS {
                    _ = std::fs::remove_file(of_mpi(program, mpi));
                }
            } else {
                for (mpi, text) in &all {
                    std::fs::write(of_mpi(program, mpi), text)?;
                }
                _ = std::fs::remove_file(common(program));
            }
        }
        Ok(())
    }
}
