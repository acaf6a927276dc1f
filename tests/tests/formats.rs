//! Reports in every format: they have the published forms, also where something goes wrong, and no name in a trace gets out
//! of where it is shown. `kept.rs` has reports that are kept.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::formats::{FORMATS, analyze, render, several, trace, valid};
use mpivet_tests::mpi;
use mpivet_tests::root;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use trace_format::run::jobs::Started;

const NASTY: &str = "a\"q\"<b>&amp; ]]>%,\n::error::\u{1b}[31m\u{9b}\u{202e}\r](http://x) -->`|\\'";

/// Writes into the description of a job what nobody would call a program.
fn make_worse(trace: &Path) -> Result<()> {
    let nasty = NASTY;
    let path = trace.join("job.json");
    let mut job: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    job["program"] = json!(format!("/x/{nasty}"));
    job["arguments"] = json!([nasty, "\u{0}\u{ffff}"]);
    job["mpi"]["library"] = json!(format!("Open MPI v9.9.9{nasty}"));
    Ok(std::fs::write(path, job.to_string())?)
}

#[test]
fn names_do_not_get_out_of_where_they_are_shown() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    let trace = trace(&mpi, "tests/programs/hostile.c", None, "hostile")?;
    make_worse(&trace)?;
    let reports = harmless(&trace)?;
    let of = |wanted: &str| reports.iter().find(|(format, _)| *format == wanted).map(|(_, text)| text.as_str());
    // Behind the finding there may be advice.
    let mut github: Vec<&str> = of("github").context("github")?.lines().collect();
    github.retain(|line| !line.starts_with("::notice title=mpivet::"));
    ensure!(github.len() == 1 && github[0].matches("::").count() >= 2, "{github:?}");
    let (properties, _) = github[0].strip_prefix("::error ").and_then(|l| l.split_once("::")).context("a command")?;
    ensure!(properties.matches(',').count() == 3, "a name ends a property: {properties}");
    let markdown = of("markdown").context("markdown")?;
    // Brackets that are not escaped would make a link.
    let bare = markdown.replace("\\]", "");
    ensure!(!markdown.contains("<b>") && !bare.contains("]("), "{markdown}");
    Ok(())
}

/// The reports of a trace in all formats: the terminal first, and none lets a name out.
fn harmless(trace: &Path) -> Result<Vec<(&'static str, String)>> {
    let mut reports = vec![("the terminal", analyze(trace, &[], &[])?.stdout)];
    let formats = [&FORMATS[..], &[("text", "txt")]].concat();
    for ((format, _), file) in formats.iter().zip(render(trace, &formats)?) {
        valid(format, &file).with_context(|| format!("{} ({format})", file.display()))?;
        reports.push((format, std::fs::read_to_string(file)?));
    }
    for (format, report) in &reports {
        ensure!(report.contains("\u{241b}"), "{format} does not show the names: {report}");
        let bad = report.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
        ensure!(bad.is_none(), "{format} lets {bad:?} through:\n{report}");
        // A name is never a line of its own.
        let line = report.lines().find(|line| line.starts_with("::error::"));
        ensure!(line.is_none(), "{format}: {line:?}");
    }
    Ok(reports)
}

/// The directory of several jobs also contains texts of others.
#[test]
fn names_of_jobs_do_not_get_out_either() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    let trace = trace(&mpi, "tests/programs/hostile.c", None, "hostile-job")?;
    let started =
        Started { command: vec!["mpirun".into(), NASTY.into()], test: Some(NASTY.into()), ..Started::default() };
    let dir = several("hostile-jobs", &[NASTY, NASTY], vec![(trace, "\n::error::\u{1b}[31m\u{202e}", started)])?;
    let reports = harmless(&dir)?;
    let text = &reports[0].1;
    ensure!(text.contains("= in job 1: mpirun 'a\"q\""), "{text}");
    Ok(())
}

/// A clean name for the trace of an example and files beside it.
fn scene(name: &str, source: &str) -> Result<Option<(PathBuf, impl Fn(&str) -> PathBuf)>> {
    let Some(mpi) = mpi::first() else { return Ok(None) };
    let trace = trace(&mpi, source, None, name)?;
    let beside = trace.clone();
    Ok(Some((trace, move |file: &str| beside.with_file_name(file))))
}

#[test]
fn a_report_that_cannot_be_written_takes_no_other_with_it() -> Result<()> {
    let Some((trace, file)) = scene("full", "examples/potential-deadlock/bug.c")? else { return Ok(()) };
    let (json, xml) = (file("a.json"), file("a.xml"));
    let options = ["--report", json.to_str().context("UTF-8")?, "--report=sarif:/dev/full", "--report"];
    let outcome = analyze(&trace, &[&options[..], &[xml.to_str().context("UTF-8")?]].concat(), &[])?;
    ensure!(outcome.code == Some(3), "exit code {:?}", outcome.code);
    ensure!(
        outcome.stderr == "mpivet: cannot write the report to /dev/full: No space left on device (os error 28)\n",
        "{}",
        outcome.stderr
    );
    ensure!(outcome.stdout.contains("warning[MV602] potential-deadlock"), "no text: {}", outcome.stdout);
    valid("json", &json)?;
    valid("junit", &xml)
}

#[test]
fn the_gate_decides_what_is_a_failed_test() -> Result<()> {
    let Some((trace, file)) = scene("gate", "examples/potential-deadlock/bug.c")? else { return Ok(()) };
    let report = |fail_on: &str| -> Result<String> {
        let xml = file("gate.xml");
        let outcome = analyze(&trace, &["--fail-on", fail_on, &format!("--report=junit:{}", xml.display())], &[])?;
        ensure!(outcome.code == Some(i32::from(fail_on == "warning")), "--fail-on {fail_on}: {:?}", outcome.code);
        valid("junit", &xml)?;
        Ok(std::fs::read_to_string(xml)?)
    };
    let strict = report("warning")?;
    ensure!(strict.contains("<failure message=") && !strict.contains("<system-out>"), "{strict}");
    let mild = report("error")?;
    ensure!(!mild.contains("<failure") && mild.contains("<system-out>warning[MV602] potential-deadlock: "), "{mild}");
    ensure!(mild.contains(" failures=\"0\""), "{mild}");
    Ok(())
}

#[test]
fn a_run_that_cannot_be_analysed_is_an_error() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let (xml, sarif) = (dir.path().join("a.xml"), dir.path().join("a.sarif"));
    let reports = [format!("--report={}", xml.display()), format!("--report={}", sarif.display())];
    let outcome = analyze(&dir.path().join("nothing"), &[&reports[0], &reports[1]], &[])?;
    ensure!(outcome.code == Some(3), "exit code {:?}", outcome.code);
    valid("junit", &xml)?;
    valid("sarif", &sarif)?;
    let text = std::fs::read_to_string(xml)?;
    ensure!(text.contains(" errors=\"1\"") && text.contains("<error message=") && text.contains("nothing"), "{text}");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(sarif)?)?;
    ensure!(json["runs"][0]["invocations"][0]["executionSuccessful"] == false, "{json}");
    Ok(())
}

#[test]
fn github_shows_places_in_the_repository_and_a_table_on_the_page_of_the_step() -> Result<()> {
    let Some((trace, file)) = scene("github", "examples/potential-deadlock/bug.c")? else { return Ok(()) };
    let summary = file("summary.md");
    std::fs::write(&summary, "before\n")?;
    let workspace = root().join("examples");
    let variables = [("GITHUB_STEP_SUMMARY", summary.as_path()), ("GITHUB_WORKSPACE", workspace.as_path())];
    let outcome = analyze(&trace, &["--format", "github"], &variables)?;
    ensure!(outcome.stdout.starts_with("::warning file=potential-deadlock/bug.c,line="), "{}", outcome.stdout);
    let page = std::fs::read_to_string(&summary)?;
    ensure!(page.starts_with("before\n### mpivet: bug, 2 ranks\n"), "{page}");
    ensure!(page.contains("\n| warning | MV602 potential-deadlock | "), "{page}");
    // Other formats leave the page alone.
    analyze(&trace, &[], &variables)?;
    ensure!(std::fs::read_to_string(&summary)? == page);
    Ok(())
}

#[test]
fn the_schema_is_printed() -> Result<()> {
    let mut command = mpivet_tests::vet::command()?;
    let output = command.arg("schema").output()?;
    ensure!(output.stdout == std::fs::read(root().join("report/schema/report.schema.json"))?, "{output:?}");
    Ok(())
}
