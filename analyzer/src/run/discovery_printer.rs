//! Prints the findings of the processes of a job as soon as they have made them: they leave them in the directory of
//! the trace, and print nothing by themselves. The printer has a thread of its own, since the reader of the traces may
//! be behind; and its own debug information, which is read once for all ranks and handed on to the report.

use report::{Style, When, clean_line};
use std::collections::HashMap;
use std::io::{Write as _, stderr};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use symbols::{Loaders, Sources};
use trace_format::run::discovery::{self, Discovery, Left};
use trace_format::settings::columns::lines;

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Prints the findings of the processes of one job.
pub(crate) struct DiscoveryPrinter {
    /// Dropped when the job is over.
    goes_on: Option<Sender<()>>,
    thread: Option<JoinHandle<Loaders>>,
}

/// The state of the thread that prints.
struct PrinterThread {
    left: Left,
    loaders: Loaders,
    /// Findings that a process may print.
    most: u64,
    printed: HashMap<String, u64>,
    columns: Option<usize>,
}

impl DiscoveryPrinter {
    /// Prints the findings that processes leave in `dir`, the directory of a trace. `most`: limit for each process.
    pub(crate) fn start(dir: &Path, most: Option<u64>) -> DiscoveryPrinter {
        let mut printer = PrinterThread {
            left: Left::new(dir),
            loaders: Loaders::default(),
            most: most.unwrap_or(u64::MAX),
            printed: HashMap::new(),
            columns: Style::of_stderr(When::Never, false).width,
        };
        let (goes_on, over) = channel::<()>();
        let dir = dir.to_owned();
        let work = move || {
            while over.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                printer.look(&dir);
            }
            printer.look(&dir);
            printer.loaders
        };
        DiscoveryPrinter { goes_on: Some(goes_on), thread: Some(std::thread::spawn(work)) }
    }

    /// Prints the rest when the job is over. Returns the debug information that was read.
    pub(crate) fn finish(mut self) -> Loaders {
        self.end()
    }

    fn end(&mut self) -> Loaders {
        self.goes_on = None;
        // If it has failed, it has printed that already.
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for DiscoveryPrinter {
    fn drop(&mut self) {
        _ = self.end();
    }
}

impl PrinterThread {
    /// Prints new findings.
    fn look(&mut self, dir: &Path) {
        for discovery in self.left.news() {
            let shown = self.loaders.show(&discovery, &mut Sources::default());
            if discovery::is_first(dir, discovery.by_lines(&shown)) {
                self.print(&discovery, &discovery.text(&shown, self.columns));
            }
        }
    }

    fn print(&mut self, discovery: &Discovery, text: &str) {
        let printed = self.printed.entry(discovery.who.clone()).or_insert(0);
        *printed += 1;
        let mut all = String::new();
        match *printed {
            n if n <= self.most => text.lines().for_each(|line| all += &format!("{}\n", clean_line(line))),
            n if n == self.most + 1 => {
                all = lines("mpivet: ", &discovery.no_more(self.most), self.columns);
            }
            _ => return,
        }
        // An error means that nobody reads it: the report has the finding, too.
        _ = stderr().lock().write_all(all.as_bytes());
    }
}
