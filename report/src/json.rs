//! The JSON report, for programs. Its form is published in `report/schema/report.schema.json`; a change that is not
//! an addition gets a new [`crate::SCHEMA`].

use crate::rendering::{Needs, Rendering};
use crate::report::Report;

pub(crate) const FORMAT: Rendering = Rendering {
    name: "json",
    help: None,
    extension: "json",
    render: |report, _| render(report),
    failure: |why| render(&Report::failed(why)),
    needs: Needs::FINDINGS,
};

fn render(report: &Report) -> String {
    // Maps with other keys than strings are what serde_json cannot write; a report has none.
    let mut text = serde_json::to_string_pretty(report).expect("a report is always JSON");
    text.push('\n');
    text
}
