//! The published form of the JSON report.

/// Name of the form that the report has.
pub const SCHEMA: &str = "mpivet-report-1";

/// The JSON Schema of the form.
pub const SCHEMA_FILE: &str = include_str!("../schema/report.schema.json");
