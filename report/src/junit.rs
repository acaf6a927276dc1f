//! JUnit XML: a test case for each check that is on, so that a run shows which checks it passed. Programs that read
//! this form (Jenkins, GitLab) show the first failure of a test case only: it holds all findings of the check. What
//! does not count by `--fail-on` is output of a test case that passed.

use crate::plural::plural;
use crate::rendering::{Needs, Rendering};
use crate::report::Report;
use crate::text;
use crate::view::FindingView;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use std::io;

/// The test case for the analysis itself.
const ANALYSIS: &str = "analysis";

type Xml = Writer<Vec<u8>>;

pub(crate) const FORMAT: Rendering = Rendering {
    name: "junit",
    help: Some("JUnit XML: a test case for each check"),
    extension: "xml",
    render: |report, _| render(report),
    failure,
    needs: Needs::FINDINGS,
};

fn render(report: &Report) -> String {
    let program = report.task.program.rsplit('/').next().unwrap_or_default();
    // Programs that show it take the part before the last dot as a package.
    let class = format!("mpivet.{}", program.replace(|c: char| c == '.' || c.is_whitespace(), "_"));
    let mut cases: Vec<Case> = report.checks.iter().map(|check| Case::new(check.name)).collect();
    for finding in &report.findings {
        let at = cases.iter().position(|case| case.name == finding.check).unwrap_or_else(|| {
            cases.push(Case::new(finding.check));
            cases.len() - 1
        });
        let list = if report.is_failure(finding) { &mut cases[at].failures } else { &mut cases[at].others };
        list.push(finding);
    }
    let failed = cases.iter().filter(|case| !case.failures.is_empty()).count();
    // The finding that says why the job was stopped is accepted, or its check is off.
    let is_silent = report.was_stopped() && failed == 0;
    let name = format!("mpivet {}", report.task.program);
    let errors = usize::from(!is_silent && report.is_incomplete());
    document(&name, cases.len() + 1, failed + usize::from(is_silent), errors, |xml| {
        analysis(xml, report, is_silent, &class)?;
        cases.iter().try_for_each(|case| case.write(xml, report, &class))
    })
}

/// The run could not be analysed.
fn failure(why: &str) -> String {
    document("mpivet", 1, 0, 1, |xml| {
        element(xml, "testcase", &[("name", ANALYSIS), ("classname", "mpivet"), ("time", "0")], |xml| {
            element(xml, "error", &[("message", first_line(why)), ("type", ANALYSIS)], |xml| put(xml, why))
        })
    })
}

/// A check and its findings.
struct Case<'a> {
    name: &'a str,
    failures: Vec<&'a FindingView>,
    others: Vec<&'a FindingView>,
}

impl Case<'_> {
    fn new(name: &str) -> Case<'_> {
        Case { name, failures: Vec::new(), others: Vec::new() }
    }

    fn write(&self, xml: &mut Xml, report: &Report, class: &str) -> io::Result<()> {
        let text = |findings: &[&FindingView]| {
            findings.iter().map(|f| text::finding(f, report.names_of(f))).collect::<Vec<_>>().join("\n")
        };
        let attributes = [("name", self.name), ("classname", class), ("time", "0")];
        if self.failures.is_empty() && self.others.is_empty() {
            return empty(xml, "testcase", &attributes);
        }
        element(xml, "testcase", &attributes, |xml| {
            if let [first, more @ ..] = &self.failures[..] {
                let mut message = first_line(&first.message).to_owned();
                if !more.is_empty() {
                    message += &format!(" (and {})", plural(more.len(), "more finding"));
                }
                element(xml, "failure", &[("message", &message), ("type", first.code)], |xml| {
                    put(xml, &text(&self.failures))
                })?;
            }
            if !self.others.is_empty() {
                element(xml, "system-out", &[], |xml| put(xml, &text(&self.others)))?;
            }
            Ok(())
        })
    }
}

/// Writes the test case of the analysis. It passes unless a part of the trace is lost, or `has_failed`: a job was
/// stopped, and no other test case says so.
fn analysis(xml: &mut Xml, report: &Report, has_failed: bool, class: &str) -> io::Result<()> {
    let what = text::remarks(report);
    let attributes = [("name", ANALYSIS), ("classname", class), ("time", "0")];
    if what.is_empty() {
        return empty(xml, "testcase", &attributes);
    }
    element(xml, "testcase", &attributes, |xml| {
        if has_failed {
            let message = [("message", first_line(&what)), ("type", ANALYSIS)];
            return element(xml, "failure", &message, |xml| put(xml, &what));
        }
        if let Some(missing) = report.missing().filter(|_| report.is_incomplete()) {
            return element(xml, "error", &[("message", &missing), ("type", ANALYSIS)], |xml| put(xml, &what));
        }
        element(xml, "system-err", &[], |xml| put(xml, &what))
    })
}

fn document(
    name: &str,
    tests: usize,
    failures: usize,
    errors: usize,
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let (tests, failures, errors) = (tests.to_string(), failures.to_string(), errors.to_string());
    let counts = [("tests", tests.as_str()), ("failures", &failures), ("errors", &errors)];
    let suite = [&[("name", name)], &counts[..], &[("skipped", "0"), ("time", "0")]].concat();
    let written = xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None))).and_then(|()| {
        element(&mut xml, "testsuites", &[&[("name", "mpivet")], &counts[..]].concat(), |xml| {
            element(xml, "testsuite", &suite, content)
        })
    });
    // Writing to memory cannot fail.
    debug_assert!(written.is_ok());
    let mut text = String::from_utf8(xml.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

fn element(
    xml: &mut Xml,
    name: &str,
    attributes: &[(&str, &str)],
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    xml.write_event(Event::Start(BytesStart::new(name).with_attributes(attributes.iter().copied())))?;
    content(xml)?;
    xml.write_event(Event::End(BytesEnd::new(name)))
}

fn empty(xml: &mut Xml, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
    xml.write_event(Event::Empty(BytesStart::new(name).with_attributes(attributes.iter().copied())))
}

/// Text of an element.
fn put(xml: &mut Xml, text: &str) -> io::Result<()> {
    xml.write_event(Event::Text(BytesText::new(text)))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
