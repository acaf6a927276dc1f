//! The progress of an analysis, and its time: a bar on the terminal if it takes long, which goes away with the
//! analysis, and lines with `--verbose`.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::Report;
use report::phases::{PRINTING, Progress};
use std::io::IsTerminal as _;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// A shorter phase shows no bar.
const LONG: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);
const BAR: &str = "mpivet: {msg} [{bar:30}] {percent}% {elapsed}";
const SPINNER: &str = "mpivet: {msg} {spinner} {elapsed}";

/// The bar, as long as the analysis has not ended.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// The thread that shows the bar ends with it.
    _end: Sender<()>,
}

impl Bar {
    /// `None`: nobody looks at it.
    pub(crate) fn new() -> Option<Bar> {
        std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            let (end, ended) = channel();
            let shown = bar.clone();
            std::thread::spawn(move || {
                if ended.recv_timeout(LONG) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                }
            });
            Bar { bar, _end: end }
        })
    }
}

/// Says how long each phase took, how long the printing took that began at `printing`, and how much memory this process
/// needed.
pub(crate) fn print_phases(report: &Report, printing: Instant) {
    let printed = (PRINTING, printing.elapsed().as_secs_f64());
    for (name, seconds) in report.phases.iter().chain([&printed]) {
        eprintln!("mpivet: {name}: {seconds:.3} s");
    }
    if report.leapt > 0 {
        eprintln!("mpivet: {} calls were counted only, in laps that were as those before them", report.leapt);
    }
    if let Some(kilobytes) = most_memory() {
        eprintln!("mpivet: most memory: {:.1} MiB", kilobytes as f64 / 1024.0);
    }
}

/// The most memory that this process had at any time, in kilobytes, as the system tells.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

impl Progress for Bar {
    fn phase(&self, name: &'static str, size: Option<u64>) {
        self.bar.reset();
        self.bar.set_message(name);
        let template = if size.is_some() { BAR } else { SPINNER };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("=> "));
        }
        match size {
            Some(size) => self.bar.set_length(size),
            None => self.bar.unset_length(),
        }
    }

    fn reached(&self, part: u64) {
        self.bar.set_position(part);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
