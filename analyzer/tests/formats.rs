//! Formats for machines, of findings written by hand: what nobody would call a file, more than programs want to show.

use clap::ValueEnum as _;
use engine::{RankEnd, RankSummary};
use quick_xml::Reader;
use quick_xml::events::Event;
use report::Damage;
use report::symbols::Symbols;
use report::{Colour, FailOn, Format, Report, RunInfo};
use serde_json::Value;
use trace_format::catalogue::{CHECKS, by_name};
use trace_format::finding::{CallRef, Finding, Severity, Waiting};
use trace_format::location::Location;

/// Ends lines, strings, elements, sections, commands and properties, moves the cursor, turns the direction of writing.
const NASTY: &str = "a\"q'<b>&amp; ]]>%,:\n::error::\u{1b}[31m\u{9b}\r\u{7f}\u{0}\u{202e}\u{ffff}](http://x) -->`|\\";

fn call(rank: i32, text: &str) -> CallRef {
    let (function, role) = (text.to_owned(), text.to_owned());
    CallRef { rank, thread: 0, event: 7, function, text: text.into(), site: 1, pc: 0, role, span: None }
}

fn symbols(ranks: i32, file: &str, line: u32) -> Symbols {
    let mut symbols = Symbols::default();
    for rank in 0..ranks {
        let (function, module) = (file.to_owned(), file.to_owned());
        symbols.add_rank(rank, "/home/me");
        symbols.set_frames(rank, 1, vec![Location { function, file: file.into(), line, module, offset: 1 }]);
    }
    symbols
}

fn info(ranks: i32) -> RunInfo {
    RunInfo { program: "./halo".into(), ranks, directory: "/home/me".into(), ..RunInfo::default() }
}

#[test]
fn no_format_obeys_a_name() {
    let mut info = RunInfo {
        program: NASTY.into(),
        arguments: vec![NASTY.into()],
        trace_dir: NASTY.into(),
        damage: vec![Damage { rank: Some(0), offset: None, what: NASTY.into(), is_wanted: false }],
        remarks: vec![NASTY.into()],
        checks: CHECKS.to_vec(),
        ..info(2)
    };
    (info.mpi.family, info.mpi.library, info.mpi.standard) = (NASTY.into(), NASTY.into(), NASTY.into());
    let mut finding = Finding::new(by_name("abend").unwrap(), NASTY, vec![call(0, NASTY), call(1, NASTY)]);
    finding.notes.push(NASTY.into());
    let wait = |rank: i32| Waiting {
        rank,
        thread: 0,
        event: 7,
        function: NASTY.into(),
        site: 1,
        waits_for: vec![1 - rank],
        any: false,
    };
    finding.waits = vec![wait(0), wait(1)];
    let ended = RankSummary {
        rank: 0,
        end: RankEnd::Abend,
        exit_status: None,
        calls: 1,
        sends: 0,
        recvs: 0,
        collectives: 0,
        unfinished: 0,
        unfinished_sends: 0,
        unfinished_recvs: 0,
        current: Some(call(0, NASTY)),
        events: 1,
    };
    let report = Report::new(info, vec![finding], &[ended], &mut symbols(2, NASTY, 3));
    for format in Format::value_variants() {
        let text = report.render(*format, Colour::Plain);
        let is_bad = |c: &char| c.is_control() && *c != '\n' || matches!(c, '\u{202e}' | '\u{ffff}');
        assert_eq!(text.chars().find(is_bad), None, "{format:?}:\n{text}");
        assert!(!text.lines().any(|line| line.starts_with("::error::")), "{format:?}:\n{text}");
    }
    let json: Value = serde_json::from_str(&report.render(Format::Json, Colour::Plain)).unwrap();
    assert!(
        json["findings"][0]["message"].as_str().unwrap().starts_with("a\"q'<b>&amp; ]]>%,:\n::error::\u{241b}[31m")
    );
    let sarif: Value = serde_json::from_str(&report.render(Format::Sarif, Colour::Plain)).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    // Names are no links.
    let message = result["message"]["text"].as_str().unwrap();
    assert!(message.contains("] (http") && !message.contains("](http"), "{message}");
    let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("a%22q%27%3Cb%3E%26amp%3B%20%5D%5D%3E%25%2C%3A%E2%90%8A%3A%3Aerror"), "{uri}");
    assert_eq!(texts(&report.render(Format::Junit, Colour::Plain)).len(), 2);
    let github = report.render(Format::Github, Colour::Plain);
    let (properties, message) = github.strip_prefix("::error ").unwrap().split_once("::").unwrap();
    assert!(properties.starts_with("file=a\"q'<b>&amp; ]]>%25%2C%3A\u{240a}%3A%3Aerror%3A%3A"), "{properties}");
    assert!(message.starts_with("a\"q'<b>&amp; ]]>%25,:%0A::error::"), "{message}");
}

/// The texts of an XML document; fails if it is none.
fn texts(xml: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let (mut texts, mut open) = (Vec::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                open += 1;
                start.attributes().for_each(|a| drop(a.unwrap()));
                texts.push(String::new());
            }
            Event::End(_) => open -= 1,
            Event::Text(text) => {
                if let Some(last) = texts.last_mut() {
                    last.push_str(&text.xml10_content());
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0, "{xml}");
    texts.retain(|text| !text.trim().is_empty());
    texts
}

#[test]
fn github_gets_ten_of_a_kind_and_is_told_of_the_rest() {
    let of = |name: &str, n: usize| vec![Finding::new(by_name(name).unwrap(), "x", vec![]); n];
    let findings = [of("abend", 12), of("potential-deadlock", 11), of("leak-info", 1)].concat();
    let report = Report::new(info(1), findings, &[], &mut Symbols::default());
    let github = report.render(Format::Github, Colour::Plain);
    let count = |what: &str| github.lines().filter(|line| line.starts_with(what)).count();
    assert_eq!((count("::error "), count("::warning ")), (10, 10), "{github}");
    let last = "mpivet: 2 errors and 2 warnings more, since GitHub shows 10 of a kind; --report has all";
    assert!(github.lines().any(|line| line == last), "{github}");
}

#[test]
fn the_place_in_the_source_is_the_first_one() {
    let mut symbols = symbols(3, "/home/me/src/a.c", 3);
    let bare = Location { function: "f".into(), module: "/lib/a.so".into(), ..Location::default() };
    symbols.set_frames(0, 1, vec![bare.clone()]);
    let calls = vec![call(0, "MPI_Send()"), call(1, "MPI_Recv()"), call(2, "MPI_Recv()")];
    let nowhere = vec![call(0, "MPI_Send()")];
    let check = by_name("wrong-data-type").unwrap();
    let findings = vec![Finding::new(check, "a", calls), Finding::new(check, "b", nowhere)];
    let report = Report::new(info(3), findings, &[], &mut symbols);
    let sarif: Value = serde_json::from_str(&report.render(Format::Sarif, Colour::Plain)).unwrap();
    let results = &sarif["runs"][0]["results"];
    let (first, second) =
        if results[0]["message"]["text"].as_str().unwrap().starts_with('a') { (0, 1) } else { (1, 0) };
    let primary = &results[first]["locations"][0];
    assert_eq!(primary["physicalLocation"]["artifactLocation"]["uri"], "src/a.c");
    assert_eq!(primary["message"]["text"], "ranks 1,2 in MPI_Recv(): MPI_Recv()");
    let related = results[first]["relatedLocations"].as_array().unwrap();
    assert_eq!((related.len(), &related[0]["id"]), (1, &Value::from(1)));
    assert!(results[first]["message"]["text"].as_str().unwrap().contains("\n[rank 0 in MPI_Send(): MPI_Send()](1)"));
    let primary = &results[second]["locations"][0];
    assert!(primary["physicalLocation"].is_null(), "{primary}");
    assert_eq!(primary["logicalLocations"][0]["fullyQualifiedName"], "f");
    let github = report.render(Format::Github, Colour::Plain);
    assert!(github.contains("::error file=src/a.c,line=3,endLine=3,title=MV406 wrong-data-type::a%0A"), "{github}");
    assert!(github.contains("::error title=MV406 wrong-data-type::b%0Af (a.so+0x0): rank 0 in"), "{github}");
}

#[test]
fn a_thousand_ranks_give_reports_that_programs_take() {
    let calls = (0..1000).map(|r| call(r, &format!("MPI_Recv(source={r})"))).collect();
    let finding = Finding::new(by_name("real-deadlock").unwrap(), "a", calls);
    let report = Report::new(info(1000), vec![finding], &[], &mut symbols(1000, "a.c", 3));
    let sarif: Value = serde_json::from_str(&report.render(Format::Sarif, Colour::Plain)).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 100);
    assert_eq!(result["stacks"].as_array().unwrap().len(), 16);
    assert!(result["message"]["text"].as_str().unwrap().ends_with("and 991 calls more"), "{}", result["message"]);
    assert!(report.render(Format::Github, Colour::Plain).len() < 2000);
}

#[test]
fn a_test_case_fails_by_what_counts_and_tells_all_findings() {
    let of =
        |severity, message: &str| Finding { severity, ..Finding::new(by_name("leak-info").unwrap(), message, vec![]) };
    let findings = vec![
        of(Severity::Warning, "first\nsecond line"),
        of(Severity::Warning, "another"),
        of(Severity::Note, "no matter"),
    ];
    let info = RunInfo { checks: vec![by_name("abend").unwrap(), by_name("leak-info").unwrap()], ..info(1) };
    let report = Report::new(info, findings, &[], &mut Symbols::default()).gated(FailOn::Warning);
    let xml = report.render(Format::Junit, Colour::Plain);
    assert!(xml.contains(r#"<testsuite name="mpivet ./halo" tests="3" failures="1" errors="0""#), "{xml}");
    assert!(xml.contains(r#"<testcase name="abend" classname="mpivet.halo" time="0"/>"#), "{xml}");
    assert!(xml.contains(r#"<failure message="another (and 1 more finding)" type="MV309">"#), "{xml}");
    let texts = texts(&xml);
    assert!(texts[0].contains("another") && texts[0].contains("second line"), "{texts:?}");
    assert!(texts[1].contains("no matter") && texts.len() == 2, "{texts:?}");
}
