//! The HTML report in a real browser: it loads without a complaint, shows the findings, their sources and the time line,
//! is used by mouse and by keyboard, and runs nothing that stands in the data.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::browser::Browser;
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::{mpi, root, run, scratch, vet};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trace_format::annotations::Annotation;
use trace_format::definition::{COMM_WORLD, Definition};
use trace_format::file::{RankHeader, job_path, rank_path};
use trace_format::run::job::Job;
use trace_format::system::SystemEvent;
use trace_reader::call::Call;
use trace_reader::reader::RankEvent;
use trace_reader::synthetic::{Hang, RankWriter, Stencil, header};
use trace_reader::text::parse;

const LIMIT: Duration = Duration::from_secs(60);
const MEGABYTE: u64 = 1 << 20;

/// The HTML report of a run of an example under one of the libraries of the system: the first, or the second.
fn page_of(example: &str, ranks: usize, name: &str, library: usize) -> Result<PathBuf> {
    let dir = scratch().join("html").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let mpis = mpi::required();
    let mpi = mpis.get(library).or(mpis.first()).context("no MPI")?;
    let program = compile(mpi, &root().join("examples").join(example), &scratch())?;
    let page = dir.join("report.html");
    let mut command = vet::command()?;
    command.args(["run", "--format", "html", "--report"]).arg(&page).arg("--dir").arg(dir.join("trace")).arg("--");
    command.args(mpi.job(ranks, &program, &[]));
    Mpi::prepare(&mut command);
    let outcome = run::run(command, LIMIT)?;
    ensure!(page.is_file(), "no report, {:?}\n{}", outcome.code, outcome.stderr);
    Ok(page)
}

/// The HTML report of a directory of traces.
fn analyze(dir: &Path) -> Result<(PathBuf, Duration)> {
    analyze_as("html", dir)
}

/// As [`analyze`], in another format.
fn analyze_as(format: &str, dir: &Path) -> Result<(PathBuf, Duration)> {
    let page = dir.with_extension(format);
    let mut command = vet::command()?;
    command.args(["analyze", "--format", format, "--report"]).arg(&page).arg(dir);
    let start = Instant::now();
    let outcome = run::run(command, Duration::from_secs(600))?;
    ensure!(page.is_file(), "no report, {:?}\n{}", outcome.code, outcome.stderr);
    Ok((page, start.elapsed()))
}

fn hanging(ranks: i32, rounds: u64) -> Stencil {
    Stencil { ranks, rounds, reduce_every: 4, hang: Some(Hang::Behind0), ..Stencil::default() }
}

/// Its traces.
fn synthetic(run: &Stencil, name: &str) -> Result<PathBuf> {
    let dir = scratch().join("html").join(name);
    _ = std::fs::remove_dir_all(&dir);
    run.write(&dir, 2)?;
    Ok(dir)
}

fn is_content(browser: &Browser) -> Result<()> {
    let complaints = browser.complaints()?;
    ensure!(complaints.is_empty(), "the browser complains: {complaints:?}");
    ensure!(browser.value("mpivet.state.problems")? == json!([]), "{}", browser.value("mpivet.state.problems")?);
    Ok(())
}

#[test]
fn a_mismatch_shows_both_places_and_the_arrow() -> Result<()> {
    let page = page_of("wrong-data-type/bug.c", 2, "type", 0)?;
    let browser = Browser::start()?;
    browser.open(&page)?;
    browser.click("[data-finding='0']")?;
    let lines = browser.value("[...document.querySelectorAll('.place .here code')].map(e => e.textContent.trim())")?;
    let lines: Vec<String> = serde_json::from_value(lines)?;
    ensure!(lines.len() == 2 && lines[0].contains("MPI_Send(") && lines[1].contains("MPI_Recv("), "{lines:?}");
    // Side by side.
    ensure!(
        browser.value("(([a, b]) => a.top === b.top && a.right <= b.left)([...document.querySelectorAll('.place')].map(e => e.getBoundingClientRect()))")?
            == json!(true),
        "the two places are not side by side"
    );
    browser.click("#show-on-timeline")?;
    browser.wait_for("mpivet.state.drawn.arrows.length > 0")?;
    ensure!(browser.value("mpivet.state.drawn.arrows")? == json!([{ "from": 0, "to": 1, "kind": "message" }]));
    ensure!(browser.value("mpivet.state.drawn.marks")? == json!(2), "{}", browser.value("mpivet.state.drawn")?);
    ensure!(browser.value("mpivet.state.drawn.calls >= 4")? == json!(true));
    // The table of functions and the matrix of messages.
    let sends = "mpivet.data.statistics.functions.some(f => f.function === 'MPI_Send' && f.calls > 0)";
    ensure!(browser.value(sends)? == json!(true), "no statistics");
    ensure!(browser.value("document.querySelectorAll('#statistics td').length > 5")? == json!(true));
    ensure!(browser.value("document.querySelectorAll('.matrix svg rect').length > 0")? == json!(true), "no matrix");
    is_content(&browser)
}

#[test]
fn a_deadlock_shows_who_waits_for_whom() -> Result<()> {
    let page = page_of("real-deadlock/bug.c", 4, "deadlock", 1)?;
    let browser = Browser::start()?;
    browser.open(&page)?;
    let edges = "document.querySelectorAll('#detail svg .edge').length";
    ensure!(browser.value(edges)? == json!(2), "{}", browser.value(edges)?);
    let named = browser.value("document.querySelector('#detail svg').getAttribute('aria-label')")?;
    ensure!(named.as_str().is_some_and(|n| n.contains("rank 0 in MPI_Recv waits for rank 1")), "{named}");
    browser.press(&["t"])?;
    browser.wait_for("mpivet.state.drawn.arrows.some(a => a.kind === 'waits' && a.from === 1 && a.to === 0)")?;
    // The explanation and the stack, on demand.
    ensure!(browser.value("document.querySelector('.explain').open")? == json!(false));
    browser.press(&["e"])?;
    browser.wait_for("document.querySelector('.explain').open")?;
    browser.click(".stack summary")?;
    ensure!(browser.value("document.querySelector('.stack li').textContent.includes('main')")? == json!(true));
    // The text on the item under the mouse.
    browser.point("#canvas", 300, 0)?;
    browser.wait_for("!document.getElementById('tip').hidden")?;
    let tip = browser.value("document.getElementById('tip').textContent")?;
    ensure!(tip.as_str().is_some_and(|t| t.contains("MPI_") && t.contains("bug.c:")), "{tip}");
    ensure!(browser.value("document.querySelectorAll('#queues tbody tr').length > 0")? == json!(true));
    is_content(&browser)
}

#[test]
fn findings_are_searched_and_walked_through_by_keyboard() -> Result<()> {
    let page = page_of("halo/bug.c", 4, "halo", 0)?;
    let browser = Browser::start()?;
    browser.open(&page)?;
    let shown = "document.querySelectorAll('[data-finding]').length";
    let all = browser.value(shown)?.as_u64().unwrap_or(0);
    ensure!(all >= 2, "{all} findings");
    ensure!(browser.value("mpivet.state.chosen")? == json!(0));
    browser.press(&["j"])?;
    ensure!(browser.value("mpivet.state.chosen")? == json!(1));
    browser.press(&["j"; 9])?;
    ensure!(browser.value("mpivet.state.chosen")? == json!(all - 1), "it stays at the last one");
    browser.press(&["k"; 9])?;
    ensure!(browser.value("mpivet.state.chosen")? == json!(0));
    // Enter goes to what the finding says.
    browser.press(&["\u{e007}"])?;
    ensure!(browser.value("document.activeElement.id")? == json!("detail"));
    // Words, in the field that `/` goes to.
    browser.press(&["/"])?;
    ensure!(browser.value("document.activeElement.id")? == json!("search"));
    browser.type_into("#search", "potential")?;
    ensure!(
        browser.value("mpivet.state.shown.map(i => mpivet.data.findings[i].check)")? == json!(["potential-deadlock"])
    );
    browser.type_into("#search", "xyz")?;
    ensure!(
        browser.value("document.querySelector('#list .empty').textContent")? == json!("No finding fits the filter.")
    );
    browser.value(
        "(() => { const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input')); })()",
    )?;
    browser.press(&["\u{e00c}"])?;
    // Severity, check and rank.
    let choose = |id: &str, value: &str| {
        let set = format!(
            "(() => {{ const s = document.getElementById('{id}'); s.value = '{value}'; s.dispatchEvent(new Event('input')); return mpivet.state.shown.map(i => mpivet.data.findings[i].check); }})()"
        );
        browser.value(&set)
    };
    ensure!(choose("severity", "error")? == json!(["real-deadlock"]), "{}", choose("severity", "error")?);
    choose("severity", "")?;
    ensure!(choose("check", "potential-deadlock")? == json!(["potential-deadlock"]));
    choose("check", "")?;
    ensure!(choose("rank", "2-3")? == json!(["real-deadlock"]), "{}", choose("rank", "2-3")?);
    choose("rank", "")?;
    // Help.
    browser.press(&["?"])?;
    ensure!(browser.value("document.getElementById('help').open")? == json!(true));
    browser.press(&["\u{e00c}"])?;
    browser.wait_for("!document.getElementById('help').open")?;
    // Everything can be reached: the time line, too.
    browser.value("document.getElementById('canvas').focus()")?;
    browser.press(&["\u{e015}"])?;
    ensure!(browser.value("document.getElementById('spoken').textContent !== ''")? == json!(true));
    browser.press(&["]", "]"])?;
    let spoken = browser.value("document.getElementById('spoken').textContent")?;
    ensure!(spoken.as_str().is_some_and(|s| s.contains("rank 1: MPI_")), "{spoken}");
    is_content(&browser)
}

#[test]
fn the_time_line_is_zoomed_and_moved() -> Result<()> {
    let page = page_of("wrong-data-type/bug.c", 2, "zoom", 1)?;
    let browser = Browser::start()?;
    browser.open(&page)?;
    let span = || -> Result<f64> {
        Ok(browser.value("mpivet.state.view.to - mpivet.state.view.from")?.as_f64().unwrap_or(0.0))
    };
    browser.wait_for("mpivet.state.view !== null")?;
    let whole = span()?;
    let becomes = |test: &str| {
        let now = "mpivet.state.view.to - mpivet.state.view.from";
        browser.wait_for(&format!("((whole, now) => {test})({whole}, {now})"))
    };
    browser.press(&["+"])?;
    becomes("now < whole * 0.6")?;
    browser.press(&["-"])?;
    becomes("now > whole * 0.9")?;
    browser.wheel("#canvas", -400)?;
    becomes("now < whole * 0.6")?;
    let from = browser.value("mpivet.state.view.from")?.as_f64().unwrap_or(0.0);
    browser.value("document.getElementById('canvas').focus()")?;
    browser.press(&["\u{e012}"])?;
    browser.wait_for(&format!("mpivet.state.view.from < {from}"))?;
    browser.press(&["0"])?;
    becomes("now >= whole")?;
    is_content(&browser)
}

#[test]
fn a_thousand_ranks_are_folded() -> Result<()> {
    let dir = synthetic(&hanging(1000, 30), "thousand")?;
    let (page, _) = analyze(&dir)?;
    std::fs::remove_dir_all(&dir)?;
    ensure!(page.metadata()?.len() < 20 * MEGABYTE, "{} bytes", page.metadata()?.len());
    let browser = Browser::start()?;
    browser.open(&page)?;
    browser.wait_for("mpivet.state.drawn.cells > 0")?;
    ensure!(browser.value("mpivet.state.drawn.rows")? == json!(63), "{}", browser.value("mpivet.state.drawn")?);
    ensure!(browser.value("mpivet.state.view.fold")? == json!(16));
    // The graph of a thousand ranks is drawn by groups.
    let vertices = browser.value("document.querySelectorAll('#detail svg .vertex').length")?;
    ensure!(vertices.as_u64().is_some_and(|n| (1..=64).contains(&n)), "{vertices}");
    browser.click("button[title^='Fewer ranks in a row']")?;
    browser.wait_for("mpivet.state.drawn.rows === 125")?;
    browser.value("document.getElementById('canvas').focus()")?;
    browser.press(&["\u{e00f}"])?;
    browser.wait_for("mpivet.state.view.top > 0")?;
    is_content(&browser)
}

#[test]
fn a_long_run_stays_small() -> Result<()> {
    // 9 calls a round.
    let run = hanging(8, 4_000);
    let dir = synthetic(&run, "long")?;
    let (page, _) = analyze(&dir)?;
    std::fs::remove_dir_all(&dir)?;
    ensure!(page.metadata()?.len() < 8 * MEGABYTE, "{} bytes", page.metadata()?.len());
    let browser = Browser::start()?;
    browser.open(&page)?;
    browser.wait_for("mpivet.state.drawn.cells > 0")?;
    let kept = browser.value("mpivet.data.timeline.lanes.reduce((n, l) => n + l.calls.length, 0)")?;
    ensure!(kept.as_u64().is_some_and(|n| (1_000..30_000).contains(&n)), "{kept} calls");
    ensure!(browser.value("mpivet.data.timeline.lanes.every(l => l.cut)")? == json!(true));
    ensure!(
        browser.value("mpivet.data.timeline.calls_seen")? == json!(run.events() / 2),
        "{}",
        browser.value("mpivet.data.timeline.calls_seen")?
    );
    // The end of each rank is known call by call.
    browser.value("document.getElementById('canvas').focus()")?;
    browser.press(&["0"])?;
    browser.press(&["]"; 30])?;
    browser.wait_for("mpivet.state.drawn.calls > 8 && mpivet.state.drawn.messages > 0")?;
    is_content(&browser)
}

/// No name, message or source is taken for a part of the page.
#[test]
fn hostile_data_stay_data() -> Result<()> {
    const EVIL: &str =
        "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>&lt;b>\u{2028}\u{202e}<!--";
    let dir = scratch().join("html").join("hostile");
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let source = dir.join("<img src=x onerror=window.hacked=1>.py");
    std::fs::write(&source, format!("first\n{EVIL}\nlast\n"))?;
    let trace = dir.join("trace");
    hostile(&trace, EVIL, source.to_str().context("a path")?)?;
    let (page, _) = analyze(&trace)?;
    // In an editor or a terminal, too, the text is what it looks like.
    ensure!(
        !std::fs::read_to_string(&page)?.contains(['\u{2028}', '\u{202e}']),
        "something turns the direction of writing"
    );
    let browser = Browser::start()?;
    browser.open(&page)?;
    browser.press(&["j", "k", "e", "t"])?;
    browser.point("#canvas", 200, 0)?;
    browser.wait_for("document.documentElement.dataset.ready === 'yes'")?;
    ensure!(browser.value("window.hacked === undefined")? == json!(true), "something in the data was run");
    ensure!(browser.value("document.querySelectorAll('img, iframe, object, embed').length")? == json!(0));
    ensure!(browser.value("document.scripts.length")? == json!(2));
    // It is there, as text: the program, the source, the file, the communicator. What ends lines is replaced in most places.
    let evil = serde_json::to_string(&EVIL.replace(['\u{2028}', '\u{202e}'], "_"))?;
    for place in ["h1", ".place .here", "#communicators", "#run", "#detail .notes, #detail .says"] {
        let there = format!(
            "[...document.querySelectorAll('{place}')].some(e => e.textContent.replace(/[\\u2028\\ufffd]/g, '_').includes({evil}))"
        );
        ensure!(browser.value(&there)? == json!(true), "{place} does not show it");
    }
    ensure!(browser.value("document.querySelector('.where').textContent.includes('<img src=x')")? == json!(true));
    ensure!(
        browser.value(&format!("mpivet.data.timeline.region_names[0].replace(/[\\u2028\\ufffd]/g, '_') === {evil}"))?
            == json!(true)
    );
    ensure!(browser.value("document.title.startsWith('</script><script>')")? == json!(true));
    is_content(&browser)
}

fn hostile(dir: &Path, evil: &str, source: &str) -> Result<()> {
    std::fs::create_dir_all(dir)?;
    let job = Job { program: evil.into(), arguments: vec![evil.into()], ranks: 2, ..Job::default() };
    std::fs::write(job_path(dir), serde_json::to_vec(&job)?)?;
    for rank in 0..2 {
        let header = RankHeader { program: evil.into(), ..header(rank, 2) };
        let mut writer = RankWriter::new(File::create(rank_path(dir, rank))?, &header)?;
        let text = "0: MPI_Init() = ok\n0: MPI_Send(dest=1, datatype=MPI_FLOAT) = ok\n0: MPI_Comm_free(comm=c1)\n\
                    1: MPI_Init() = ok\n1: MPI_Recv(source=0) = ok {status=0/0/4}\n1: MPI_Recv(source=0, tag=1)\n";
        let definitions = [
            Definition::Source { id: 100, file: source.into(), function: evil.into(), line: 2 },
            Definition::SourceStack { id: 101, sources: vec![100], stack: 0, interpreter: 0 },
            Definition::CommName { id: COMM_WORLD, name: evil.into() },
        ];
        writer.define(&definitions)?;
        for (of, event) in parse(text)?.events.into_iter().filter(|(of, _)| *of == rank) {
            match event {
                RankEvent::Definition(d) => writer.define(&[d])?,
                RankEvent::Call(call) => writer.call(&Call { site: 101, ..call })?,
                other => anyhow::bail!("{of}: {other:?}"),
            }
        }
        let annotation = Annotation::RegionBegin { name: evil.into() };
        writer.system(&SystemEvent::Annotation { call: 1, annotation }, 3);
        if rank == 0 {
            let text = evil.into();
            writer.system(&SystemEvent::MpiError { call: 2, class: 5, fatal: true, text }, 4);
        }
        writer.flush()?;
    }
    Ok(())
}

#[test]
fn pages_of_runs_without_errors_are_not_blank() -> Result<()> {
    const SENT: &str = "0: MPI_Init() = ok\n0: MPI_Send(dest=1) = ok\n0: MPI_Finalize() = ok\n\
                        1: MPI_Init() = ok\n1: MPI_Recv(source=0) = ok {status=0/0/4}\n1: MPI_Finalize() = ok\n";
    const NOTHING: &str = "0: MPI_Init() = ok\n0: MPI_Finalize() = ok\n1: MPI_Init() = ok\n1: MPI_Finalize() = ok\n";
    let handled = SystemEvent::MpiError { call: 1, class: 5, fatal: false, text: "a handled error".into() };
    let kinds = [
        ("clean", SENT, None, [].as_slice(), "No errors found."),
        ("only-notes", SENT, Some(&handled), [].as_slice(), "mpi-error"),
        ("no-checks", SENT, None, ["--no-check", "*"].as_slice(), "No errors found."),
        ("nothing-called", NOTHING, None, [].as_slice(), "No errors found."),
        ("nothing-recorded", "", None, [].as_slice(), "No errors found."),
    ];
    let browser = Browser::start()?;
    for (name, text, event, options, says) in kinds {
        let dir = scratch().join("html").join(name);
        _ = std::fs::remove_dir_all(&dir);
        written(&dir, 2, text, event)?;
        let page = dir.with_extension("html");
        let mut command = vet::command()?;
        command.args(["analyze", "--format", "html", "--report"]).arg(&page).args(options).arg(&dir);
        let outcome = run::run(command, LIMIT)?;
        ensure!(page.is_file(), "{name}: no report, {:?}\n{}", outcome.code, outcome.stderr);
        browser.open(&page)?;
        let shown = browser.value("document.querySelector('#findings').textContent")?;
        ensure!(shown.as_str().is_some_and(|text| text.contains(says)), "{name}: {shown}");
        ensure!(browser.value("document.documentElement.dataset.ready === 'yes'")? == json!(true), "{name}: not ready");
        ensure!(browser.value("document.querySelector('h1') !== null")? == json!(true), "{name}: no title");
        browser.press(&["j", "k", "e", "t", "/", "?"])?;
        is_content(&browser).with_context(|| name.to_owned())?;
    }
    no_report_says_why(&browser)
}

/// The page that is written in the place of a report that could not be made.
fn no_report_says_why(browser: &Browser) -> Result<()> {
    let page = scratch().join("html/no-report.html");
    let mut command = vet::command()?;
    command.args(["analyze", "--report"]).arg(&page).arg(scratch().join("html/nowhere"));
    run::run(command, LIMIT)?;
    browser.open(&page)?;
    let shown = browser.value("document.querySelector('#head').textContent")?;
    ensure!(shown.as_str().is_some_and(|text| text.contains("cannot read the trace directory")), "{shown}");
    is_content(browser).context("no report")
}

/// A trace of a program that went well, with something that is not a call in rank 0.
fn written(dir: &Path, ranks: i32, text: &str, event: Option<&SystemEvent>) -> Result<()> {
    std::fs::create_dir_all(dir)?;
    let job = Job { program: "app".into(), ranks, ..Job::default() };
    std::fs::write(job_path(dir), serde_json::to_vec(&job)?)?;
    for rank in 0..ranks {
        let mut writer = RankWriter::new(File::create(rank_path(dir, rank))?, &header(rank, ranks))?;
        for (_, read) in parse(text)?.events.into_iter().filter(|(of, _)| *of == rank) {
            match read {
                RankEvent::Definition(definition) => writer.define(&[definition])?,
                RankEvent::Call(call) => writer.call(&call)?,
                other => anyhow::bail!("{rank}: {other:?}"),
            }
        }
        if let Some(event) = event.filter(|_| rank == 0) {
            writer.system(event, 3);
        }
        writer.system(&SystemEvent::Exit { status: 0 }, 9);
        writer.flush()?;
    }
    Ok(())
}

/// Prints figures: `cargo test --release -p mpivet-tests --test html -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, which takes minutes and much disk"]
fn how_large_and_slow_it_gets() -> Result<()> {
    for (ranks, rounds) in [(2, 270_000), (64, 8_450), (1000, 540)] {
        let run = hanging(ranks, rounds);
        let dir = synthetic(&run, &format!("measured-{ranks}"))?;
        let (page, took) = analyze(&dir)?;
        let (_, plain) = analyze_as("json", &dir)?;
        std::fs::remove_dir_all(&dir)?;
        let browser = Browser::start()?;
        let opened = browser.open(&page)?;
        let ready = browser.value("mpivet.state.ready")?;
        let size = page.metadata()?.len() as f64 / MEGABYTE as f64;
        println!(
            "{ranks} ranks, {} events: analyzed in {took:?} (without time line {plain:?}), {size:.1} MiB, opened in {opened:?} (its scripts after {ready} ms)",
            run.events()
        );
        ensure!(size < 20.0 && opened < Duration::from_secs(2));
        std::fs::remove_file(&page)?;
    }
    Ok(())
}
