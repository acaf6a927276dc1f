//! Reports that are kept: `bug.expected`, or `bug.mpich.expected` and `bug.openmpi.expected` where the two libraries lead
//! to different reports. `BLESS=1` writes them.

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

fn of_mpi(file: &Path, mpi: &str) -> PathBuf {
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    file.with_extension(format!("{mpi}.{ending}"))
}

/// The text in `file` for `mpi`.
fn kept(file: &Path, mpi: &str) -> Option<String> {
    std::fs::read_to_string(of_mpi(file, mpi)).or_else(|_| std::fs::read_to_string(file)).ok()
}

/// Everything that is kept in `file`, or in those of single MPIs in its place.
pub fn all_kept(file: &Path) -> impl Iterator<Item = String> {
    let files = MPIS.iter().map(|mpi| of_mpi(file, mpi)).chain([file.to_owned()]);
    files.collect::<Vec<_>>().into_iter().filter_map(|file| std::fs::read_to_string(file).ok())
}

/// Are the reports of the MPIs different ones?
pub fn is_kept_apart(file: &Path) -> bool {
    MPIS.iter().any(|mpi| of_mpi(file, mpi).exists())
}

pub fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Fails with the differences if `report` is not the one that is kept in `file`.
fn compare(file: &Path, mpi: &str, report: &str) -> Result<()> {
    match kept(file, mpi) {
        None => bail!("no report is kept in {}: BLESS=1 writes it. It would be\n{report}", file.display()),
        Some(kept) if kept == report => Ok(()),
        Some(kept) => {
            let diff = TextDiff::from_lines(kept.as_str(), report);
            let diff = diff.unified_diff().context_radius(3).header("kept", "now").to_string();
            bail!("the report is not that in {} (BLESS=1 accepts it):\n{diff}", file.display())
        }
    }
}

/// New reports, collected while the tests run and written in the end.
#[derive(Debug, Default)]
pub struct Blessings(Mutex<BTreeMap<PathBuf, BTreeMap<&'static str, String>>>);

impl Blessings {
    /// Compares `report` with what is kept in `file`, or keeps it for [`Blessings::write`].
    pub fn compare_or_add(&self, file: &Path, mpi: &'static str, report: String) -> Result<()> {
        if !is_blessing() {
            return compare(file, mpi, &report);
        }
        self.add(file, mpi, report);
        Ok(())
    }

    fn add(&self, file: &Path, mpi: &'static str, report: String) {
        let mut all = self.0.lock().expect("no test panics in here");
        all.entry(file.to_owned()).or_default().insert(mpi, report);
    }

    /// Writes one file where the reports agree, one for each MPI where they do not. The reports of MPIs that were not
    /// run stay as they are.
    pub fn write(&self) -> Result<()> {
        for (file, new) in self.0.lock().expect("no test panics in here").iter() {
            let all: BTreeMap<&str, String> = MPIS
                .iter()
                .filter_map(|mpi| Some((*mpi, new.get(mpi).cloned().or_else(|| kept(file, mpi))?)))
                .collect();
            let mut texts = all.values();
            let first = texts.next();
            if let Some(first) = first.filter(|first| texts.all(|text| text == *first)) {
                std::fs::write(file, first)?;
                for mpi in MPIS {
                    _ = std::fs::remove_file(of_mpi(file, mpi));
                }
            } else {
                for (mpi, text) in &all {
                    std::fs::write(of_mpi(file, mpi), text)?;
                }
                _ = std::fs::remove_file(file);
            }
        }
        Ok(())
    }
}
