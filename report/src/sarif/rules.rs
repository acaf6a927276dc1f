//! The checks as rules of SARIF.

use serde_json::{Value, json};
use trace_format::catalogue::{CHECKS, CheckInfo};

/// Every check, in the order of the catalogue.
pub(super) fn all() -> Vec<Value> {
    CHECKS.iter().map(|check| rule(check)).collect()
}

/// Place of a check among them.
pub(super) fn index(code: &str) -> Option<usize> {
    CHECKS.iter().position(|check| check.code == code)
}

fn rule(check: &CheckInfo) -> Value {
    let page = page(check);
    json!({
        "id": check.code,
        "name": check.name,
        "shortDescription": { "text": format!("{}: {}", check.name, check.summary) },
        "fullDescription": { "text": what_it_finds(&page) },
        "help": { "text": text(&page), "markdown": page },
        "defaultConfiguration": { "level": check.severity.name(), "enabled": check.default_on },
        "properties": { "tags": ["mpi", "correctness"] },
    })
}

/// The doc comment as Markdown: `///` leaves a space before each line.
fn page(check: &CheckInfo) -> String {
    let lines: Vec<&str> = check.doc().lines().map(|l| l.strip_prefix(' ').unwrap_or(l).trim_end()).collect();
    lines.join("\n").trim().to_owned()
}

/// The first paragraph below the first heading.
fn what_it_finds(page: &str) -> String {
    let body = page.split_once('\n').map_or(page, |(_, body)| body).trim_start();
    body.split("\n\n").next().unwrap_or_default().replace('\n', " ")
}

/// The page without headings and fences.
fn text(page: &str) -> String {
    let lines = page.lines().filter(|l| !l.starts_with("```"));
    let plain = |line: &str| match line.trim_start_matches('#') {
        heading if heading.len() < line.len() => heading.trim_start().to_owned(),
        line => line.to_owned(),
    };
    lines.map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_help_without_markup() {
        for check in CHECKS {
            let rule = rule(check);
            let (short, full) = (&rule["shortDescription"]["text"], &rule["fullDescription"]["text"]);
            let (text, page) = (rule["help"]["text"].as_str().unwrap(), rule["help"]["markdown"].as_str().unwrap());
            assert!(short.as_str().unwrap().ends_with(check.summary), "{short}");
            assert!(full.as_str().is_some_and(|f| f.len() > 20 && !f.contains(['#', '\n'])), "{full}");
            assert!(page.starts_with("# What it finds\n") && page.contains("```"), "{page}");
            assert!(text.starts_with("What it finds\n") && !text.contains("```") && !text.contains("\n#"), "{text}");
        }
    }
}
