//! `docs/checks.md` is what the catalogue says. `BLESS=1 cargo test -p trace-format` writes it anew.

use std::fmt::Write as _;
use trace_format::catalogue::CHECKS;

fn page() -> String {
    let mut page = String::from(
        "# Checks\n\nMade from the catalogue in `trace-format/src/catalogue/`. `mpivet explain NAME` prints the same.\n\n\
         | code | name | severity | meaning |\n|---|---|---|---|\n",
    );
    for c in CHECKS {
        _ = writeln!(page, "| {} | [{n}](#{n}) | {} | {} |", c.code, c.severity.name(), c.summary, n = c.name);
    }
    for c in CHECKS {
        _ = writeln!(page, "\n## {}\n\n{} ({}): {}.\n", c.name, c.code, c.severity.name(), c.summary);
        for line in c.doc.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line);
            let line = if line.starts_with("# ") { format!("##{line}") } else { line.to_owned() };
            _ = writeln!(page, "{line}");
        }
    }
    page
}

#[test]
fn the_page_of_checks_is_fresh() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/checks.md");
    let expected = page();
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, &expected).expect("docs/checks.md can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/checks.md is not what the catalogue says; run scripts/bless");
}
