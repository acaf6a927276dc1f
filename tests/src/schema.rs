//! Published forms that reports must have. Each is also made stricter where it lets a report hold more than it names.

use anyhow::{Context as _, Result, ensure};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

static REPORT: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema = read("report/schema/report.schema.json");
    forbid_more(&mut schema);
    validator(&schema)
});
static SARIF: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema = read("tests/formats/schemas/sarif-2.1.0.json");
    for of in ["run", "toolComponent"] {
        // This pattern has a bracket too many.
        schema["definitions"][of]["properties"]["language"]["pattern"] = json!("^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    }
    validator(&schema)
});
const JUNIT: &str = "tests/formats/schemas/junit-10.xsd";

/// Is it a JSON report that holds nothing which the schema does not name?
pub fn check_report(report: &str) -> Result<()> {
    check(&REPORT, report)
}

pub fn check_sarif(report: &str) -> Result<()> {
    check(&SARIF, report)
}

/// Is the file a JUnit report as Jenkins takes it?
pub fn check_junit(file: &Path) -> Result<()> {
    let mut command = Command::new("xmllint");
    let output = command.args(["--noout", "--nonet", "--schema"]).arg(crate::root().join(JUNIT)).arg(file).output();
    let output = output.context("cannot run xmllint: scripts/install-deps installs it (libxml2-utils)")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn check(validator: &Validator, report: &str) -> Result<()> {
    let json: Value = serde_json::from_str(report).context("no JSON")?;
    let errors: Vec<String> = validator.iter_errors(&json).map(|e| format!("{}: {e}", e.instance_path())).collect();
    ensure!(errors.is_empty(), "not as the schema says:\n{}", errors.join("\n"));
    Ok(())
}

fn read(file: &str) -> Value {
    let text = std::fs::read_to_string(crate::root().join(file)).expect(file);
    serde_json::from_str(&text).expect(file)
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(schema).expect("a good schema")
}

/// Readers ignore what they do not know, but mpivet itself writes nothing that the schema does not name.
fn forbid_more(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") && object.get("type").is_some_and(is_object) {
                object.entry("additionalProperties").or_insert(json!(false));
            }
            object.values_mut().for_each(forbid_more);
        }
        Value::Array(list) => list.iter_mut().for_each(forbid_more),
        _ => {}
    }
}

fn is_object(kind: &Value) -> bool {
    kind == "object" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Value {
        json!({
            "schema": "mpivet-report-1",
            "version": "0.1.0",
            "mpi": { "family": "mpich", "library": "", "standard": "4.0" },
            "task": {
                "program": "a", "arguments": [], "ranks": 1, "ended": [], "errors": 0, "warnings": 0, "notes": 0,
                "stopped": false, "trace_dir": "t", "defects": [{ "rank": null, "offset": null, "what": "x" }],
            },
            "findings": [],
        })
    }

    #[test]
    fn what_the_schema_does_not_name_is_a_mistake() {
        check_report(&report().to_string()).unwrap();
        for (at, what) in [("/mpi", "color"), ("/task/defects/0", "where"), ("", "more")] {
            let mut wrong = report();
            wrong.pointer_mut(at).unwrap()[what] = json!(1);
            assert!(check_report(&wrong.to_string()).is_err(), "{at}/{what}");
        }
        let mut wrong = report();
        wrong["task"]["ranks"] = json!(-1);
        assert!(check_report(&wrong.to_string()).is_err());
        // A reader of reports must not stumble over later additions.
        let public = validator(&read("report/schema/report.schema.json"));
        let mut later = report();
        later["more"] = json!(1);
        assert!(public.is_valid(&later) && !public.is_valid(&wrong));
    }

    #[test]
    fn sarif_and_junit_have_rules() {
        let sarif = |uri: &str| {
            let place = json!({ "physicalLocation": { "artifactLocation": { "uri": uri } } });
            let result = json!({ "message": { "text": "x" }, "locations": [place] });
            json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": { "name": "x" } }, "results": [result] }] })
        };
        check_sarif(&sarif("a%20b.c").to_string()).unwrap();
        assert!(check_sarif(&sarif("a b.c").to_string()).is_err());
        let dir = tempfile::tempdir().unwrap();
        let junit = |case: &str| {
            let file = dir.path().join("a.xml");
            let suite = format!("<testsuite name='a' tests='1' failures='0' errors='0'>{case}</testsuite>");
            std::fs::write(&file, suite).unwrap();
            check_junit(&file)
        };
        junit("<testcase name='a'/>").unwrap();
        assert!(junit("<testcase/>").is_err() && junit("<testcase name='a'>").is_err());
    }
}
