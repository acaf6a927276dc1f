//! The JSON report, for programs. Its form is published in `report/schema/report.schema.json`; a change that is not
//! an addition gets a new [`SCHEMA`].

use super::Report;

/// Name of the form that the report has.
pub const SCHEMA: &str = "mpivet-report-1";

/// The JSON Schema of the form.
pub const SCHEMA_FILE: &str = include_str!("../schema/report.schema.json");

pub(super) fn render(report: &Report) -> String {
    // Maps with other keys than strings are what serde_json cannot write; a report has none.
    let mut text = serde_json::to_string_pretty(report).expect("a report is always JSON");
    text.push('\n');
    text
}
