//! Reports: from findings and facts of the run to one of several formats. Nothing here knows how a finding was made.
//! [`Report`] is rendered by all formats; its serialized form is the JSON report
//! (`report/schema/report.schema.json`).

#![forbid(unsafe_code)]

mod build;
mod call_context;
mod call_paths;
mod clean;
mod command_line;
pub mod csv;
mod damage;
mod debuginfod;
mod exploration;
mod finding_calls;
mod fingerprint;
mod format;
pub mod gate;
mod github;
mod graph;
mod groups;
mod html;
mod jobs;
mod json;
mod junit;
mod markdown;
pub mod merge;
mod order;
pub mod phases;
mod places;
mod plural;
mod protocol;
mod protocol_data;
mod rank_ends;
mod rendering;
mod report;
pub mod samples;
mod sarif;
mod schema;
mod set_aside;
mod sites;
mod source;
mod stack;
mod statement;
pub mod statistics;
mod style;
mod subject;
mod suspects;
pub mod symbols;
mod text;
pub mod timeline;
pub mod variables;
mod view;

pub use call_context::{AFTER, BEFORE, CallContext, CountedCall, ObjectNames, Place};
pub use clean::{line as clean_line, lines as clean_text};
pub use command_line::command_line;
pub use damage::Damage;
pub use exploration::Potential;
pub use finding_calls::FindingCall;
pub use fingerprint::FindingKey;
pub use format::Format;
pub use jobs::JobReport;
pub use protocol::{FRAGMENTS, environment};
pub use protocol_data::ProtocolListener;
pub use report::{FailOn, Incomplete, Report, RunInfo};
pub use schema::{SCHEMA, SCHEMA_FILE};
pub use style::{Colour, Style, When};
pub use view::{Exploration, RunEnd, RunView};
