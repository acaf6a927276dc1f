//! The whole way of a trace: read, analyzed, told in every format. Whatever the trace is, there is a report, and no text of the
//! trace commands the terminal or breaks out of its place in the format.

use analyzer::events::{Calls, Error, Limit, Perfetto, Writer, write};
use analyzer::load::Traces;
use analyzer::observe::{Ending, Observer};
use report::{Colour, Format, Report};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use trace_format::names::NoNames;
use trace_format::settings::selection::Selection;
use trace_format::system::SystemEvent;
use trace_reader::reader::RankEvent;
use trace_reader::text::{
    format_annotation, format_call, format_callback, format_checksums, format_definition, format_return, format_sample,
    format_touched,
};

pub const FORMATS: [Format; 9] = [
    Format::Text,
    Format::Json,
    Format::Dot,
    Format::Sarif,
    Format::Junit,
    Format::Github,
    Format::Markdown,
    Format::Protocol,
    Format::Html,
];

thread_local! {
    /// A directory in memory, where the system has such a place. It goes with the thread.
    static DIR: TempDir = {
        let shared = Path::new("/dev/shm");
        let place = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        tempfile::Builder::new().prefix("mpivet-fuzz").tempdir_in(place).expect("a directory")
    };
}

/// An empty directory, the same one each time.
pub fn scratch() -> PathBuf {
    let dir = DIR.with(|dir| dir.path().join("trace"));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).expect("a directory");
    dir
}

/// All checks, also those that are off by default.
pub fn all_checks() -> Selection {
    let mut selection = Selection::default();
    selection.choose("*").expect("a glob that all names match");
    selection
}

/// The report of the trace, if anything of it can be read. Everybody listens.
pub fn report(dir: &Path, selection: Selection) -> Option<Report> {
    let mut observer = Observer::open(dir, selection).ok()?;
    observer.keep_protocol();
    observer.count();
    observer.draw();
    observer.read_rest(|_| true);
    Some(observer.report(Ending::Any).expect("a report, whatever the trace says"))
}

/// The formats of a report that are rendered.
#[derive(Clone, Copy)]
pub enum Telling {
    /// Every format.
    Everything,
    /// One of them: rendering takes most of the time, and the fuzzer is to try many inputs.
    One(usize),
}

impl Telling {
    /// The format that the input decides: the fuzzer needs the same result for the same input.
    pub fn one(input: &[u8]) -> Telling {
        let hash = input.iter().fold(0usize, |hash, byte| (hash ^ usize::from(*byte)).wrapping_mul(0x100_0000_01b3));
        Telling::One(hash >> 24)
    }
}

/// Renders the report.
pub fn tell(report: &Report, telling: Telling) {
    let formats = match telling {
        Telling::Everything => &FORMATS[..],
        Telling::One(which) => &FORMATS[which % FORMATS.len()..][..1],
    };
    for format in formats.iter().copied() {
        let text = report.render(format, Colour::Plain);
        harmless(format.name(), &text);
        if matches!(format, Format::Json | Format::Sarif) {
            serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
        }
        if format == Format::Github {
            let commands = |line: &str| line.starts_with("::error ") || line.starts_with("::warning ");
            let other = text.lines().find(|l| !commands(l) && !l.starts_with("::notice "));
            assert!(other.is_none(), "GitHub is told {other:?}");
        }
    }
}

/// Asserts that no character of a text moves the cursor, changes colours, or turns the direction of writing.
pub fn harmless(what: &str, text: &str) {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let bad = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\n' | '\t') || turns(*c));
    if let Some((at, c)) = bad {
        let before = text[..at].char_indices().rev().nth(200).map_or(0, |(start, _)| start);
        panic!("{what} lets {c:?} through, behind {:?}", &text[before..at]);
    }
}

/// Exports for other programs: trace events, tables of calls.
pub fn export(dir: &Path) {
    let (events, calls) = (Shared::default(), Shared::default());
    let writers: Vec<Box<dyn Writer>> =
        vec![Box::new(Perfetto::new(Box::new(events.clone()))), Box::new(Calls::new(Box::new(calls.clone())))];
    match write(dir, writers, Limit::default(), &|_| true) {
        Ok(_) => drop(serde_json::from_str::<serde_json::Value>(&events.text()).expect("JSON")),
        Err(Error::Load(_)) => {}
        // A mistake of the analysis is an error as well, and must not pass for one of the trace.
        Err(other) => panic!("{other}"),
    }
}

/// The events in the notation, as `mpivet print` shows them.
pub fn print(dir: &Path) {
    let Ok(mut traces) = Traces::open(dir) else { return };
    let all: Vec<i32> = traces.headers().map(|h| h.rank).collect();
    all.iter().for_each(|rank| traces.writer_is_gone(*rank));
    let mut text = String::new();
    let mut line = |rank: i32, event: RankEvent| match event {
        RankEvent::Definition(d) => text = format_definition(&d).unwrap_or_default(),
        RankEvent::Call(call) => {
            text = format_call(&call, &NoNames) + &format_return(&call, &NoNames);
            harmless(&format!("a call of rank {rank}"), &text);
        }
        RankEvent::System { event: SystemEvent::Checksums(c), .. } => text = format_checksums(&c),
        RankEvent::System { event: SystemEvent::Annotation { annotation, .. }, .. } => {
            text = format_annotation(&annotation, &NoNames)
        }
        RankEvent::System { event: SystemEvent::Sample(sample), .. } => text = format_sample(&sample),
        RankEvent::System { event: SystemEvent::Callback(callback), .. } => text = format_callback(&callback),
        RankEvent::System { event: SystemEvent::Touched(touched), .. } => text = format_touched(&touched),
        RankEvent::System { .. } | RankEvent::Return { .. } => {}
    };
    while !traces.poll(4, &|_| false, &mut |rank, event| line(rank, event.into())).is_empty() {}
}

/// A writer whose output can be read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("nobody panics with it")).into_owned()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panics with it").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
