//! The progress of an analysis that takes long, and its time: a bar on the terminal, which goes away with the analysis, a
//! line a minute elsewhere; and lines with `--verbose`.

mod pace;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pace::Pace;
use report::Report;
use report::phases::{PRINTING, Progress};
use std::io::IsTerminal as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A shorter analysis shows no bar.
const LONG: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);
/// Pause between two lines where there is no terminal.
const MINUTE: Duration = Duration::from_secs(60);
const BAR: &str = "mpivet: {prefix} [{wide_bar}] {msg}";
const SPINNER: &str = "mpivet: {prefix} {spinner} {elapsed}";

/// Shows how far the analysis is, as long as it has not ended.
pub(crate) struct Display {
    pace: Arc<Mutex<Pace>>,
    /// On a terminal.
    bar: Option<ProgressBar>,
    /// The thread that shows it ends with it.
    _end: Sender<()>,
}

impl Display {
    /// On standard error.
    pub(crate) fn new() -> Display {
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        match std::io::stderr().is_terminal() && !is_dumb {
            true => Display::on_terminal(),
            false => Display::in_lines(MINUTE, |line| eprintln!("mpivet: {line}")),
        }
    }

    fn on_terminal() -> Display {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let shown = bar.clone();
        let mut pause = LONG;
        let show = move |pace: &Pace| {
            if pause == LONG {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
                pause = TICK;
            }
            shown.set_message(pace.words(Instant::now()));
        };
        let mut display = Display::by([LONG, TICK], show);
        display.bar = Some(bar);
        display
    }

    /// A line each `pause`.
    fn in_lines(pause: Duration, put: impl Fn(&str) + Send + 'static) -> Display {
        Display::by([pause, pause], move |pace| {
            let words = pace.words(Instant::now());
            put(&format!("{}: {words}", pace.phase()));
        })
    }

    /// Calls `show` after the first pause, and then after each second one.
    fn by([first, later]: [Duration; 2], mut show: impl FnMut(&Pace) + Send + 'static) -> Display {
        let pace = Arc::new(Mutex::new(Pace::new(Instant::now())));
        let (end, ended) = channel();
        let shown = pace.clone();
        std::thread::spawn(move || {
            let mut pause = first;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                show(&shown.lock().unwrap_or_else(PoisonError::into_inner));
                pause = later;
            }
        });
        Display { pace, bar: None, _end: end }
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
        eprintln!(
            "mpivet: {} calls were counted only, in laps that were as those before them, or in stretches without a mistake",
            report.leapt
        );
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

impl Progress for Display {
    fn phase(&self, name: &'static str, size: Option<u64>) {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner).begin(name, size, Instant::now());
        let Some(bar) = &self.bar else { return };
        bar.reset();
        bar.set_prefix(name);
        bar.set_message("");
        let template = if size.is_some() { BAR } else { SPINNER };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        match size {
            Some(size) => bar.set_length(size),
            None => bar.unset_length(),
        }
    }

    fn reached(&self, part: u64, events: u64) {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner).reach(part, events, Instant::now());
        self.bar.iter().for_each(|bar| bar.set_position(part));
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_with_each_pause_and_end_with_the_analysis() {
        let (sender, lines) = channel();
        let display = Display::in_lines(Duration::from_millis(20), move |line| _ = sender.send(line.to_owned()));
        display.phase("reading", Some(200));
        display.reached(50, 7);
        let line = lines.iter().find(|line| line.contains("25 %")).unwrap();
        assert!(line.starts_with("reading: 25 %, "), "{line}");
        display.phase("deadlocks", None);
        let line = lines.iter().find(|line| !line.starts_with("reading")).unwrap();
        assert_eq!(line, "deadlocks: 0 s so far");
        drop(display);
        assert!(lines.iter().all(|line| line == "deadlocks: 0 s so far"), "the sender is gone");
    }
}
