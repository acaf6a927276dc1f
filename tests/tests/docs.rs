//! `docs/checks.md` is what the catalogue and the examples say. `scripts/docs` writes it anew.

use anyhow::{Result, ensure};
use mpivet_tests::checks_page::{COMMAND, page, path};
use mpivet_tests::golden::is_blessing;

#[test]
fn the_page_of_checks_is_fresh() -> Result<()> {
    let expected = page()?;
    if is_blessing() {
        std::fs::write(path(), &expected)?;
    }
    let found = std::fs::read_to_string(path()).unwrap_or_default();
    ensure!(found == expected, "docs/checks.md is not what the catalogue and the examples say; run {COMMAND}");
    Ok(())
}
