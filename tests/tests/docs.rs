//! `docs/checks.md` and the pages in `docs/checks/` are what the catalogue and the examples say (`scripts/docs` writes them
//! anew), and the links of all documents lead somewhere.

use anyhow::{Result, ensure};
use mpivet_tests::checks_page::{COMMAND, directory, pages};
use mpivet_tests::golden::is_blessing;
use mpivet_tests::root;
use regex::Regex;
use std::path::{Path, PathBuf};

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    Ok(std::fs::read_dir(dir)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?)
}

#[test]
fn the_pages_of_checks_are_fresh() -> Result<()> {
    let pages = pages()?;
    if is_blessing() {
        std::fs::create_dir_all(directory())?;
        for stray in files(&directory())?.iter().filter(|file| !pages.contains_key(*file)) {
            std::fs::remove_file(stray)?;
        }
        for (path, page) in &pages {
            std::fs::write(path, page)?;
        }
    }
    for (path, page) in &pages {
        let found = std::fs::read_to_string(path).unwrap_or_default();
        ensure!(found == *page, "{} is not what the catalogue and the examples say; run {COMMAND}", path.display());
    }
    for file in files(&directory())? {
        ensure!(pages.contains_key(&file), "{} is of no check; run {COMMAND}", file.display());
    }
    Ok(())
}

/// The name that a heading has in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn links_of_the_documents_lead_somewhere() -> Result<()> {
    let links = Regex::new(r"\]\(([^)#:]*)(?:#([^)]*))?\)")?;
    let documents = files(&root().join("docs"))?.into_iter().chain([root().join("README.md")]);
    for document in documents.filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(&document)?;
        for link in links.captures_iter(&text) {
            let target = match &link[1] {
                "" => document.clone(),
                path => document.parent().unwrap_or(Path::new("/")).join(path),
            };
            ensure!(target.exists(), "{}: there is no {}", document.display(), target.display());
            if let Some(wanted) = link.get(2).map(|m| m.as_str()) {
                let there = std::fs::read_to_string(&target)?;
                let heading = there.lines().any(|l| l.starts_with('#') && anchor(l) == wanted);
                let named = there.contains(&format!("<a id=\"{wanted}\">"));
                ensure!(heading || named, "{}: {} has no {wanted}", document.display(), target.display());
            }
        }
    }
    Ok(())
}
