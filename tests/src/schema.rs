//! Published forms that reports must have. Each is also made stricter where it lets a report hold more than it names.

use anyhow::{Context as _, Result, ensure};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

static REPORT: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema = read("analyzer/schema/report.schema.json");
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
