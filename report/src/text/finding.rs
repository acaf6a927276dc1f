//! A finding: its places in the source with the calls that ranks made there.

use super::line::{Ink, Line};
use super::snippet::snippet;
use super::{Limits, Page};
use crate::groups::groups;
use crate::stack::{frame, stack_of};
use crate::subject::highlights;
use crate::view::{FindingView, Frame, Site};
use annotate_snippets::Level;
use std::fmt::Write as _;

impl Page {
    pub(super) fn finding(&mut self, f: &FindingView) {
        let ink = ink(f);
        let mut message = format!("{}: {}", f.check, f.message);
        if f.count > 1 {
            _ = write!(message, " ({} times)", f.count);
        }
        // Some libraries explain an error in several lines.
        let mut lines = message.trim_end().lines();
        self.line("");
        let label = self.new_line().ink(ink, &format!("{}[{}]", f.severity, f.code)).text(" ");
        self.push(label.ink(Ink::Bold, lines.next().unwrap_or_default()));
        for line in lines {
            let line = self.new_line().text("    ").ink(Ink::Bold, line);
            self.push(line);
        }
        let places = groups(&f.sites, |&site| place_of(site));
        let Limits { places: most, .. } = self.limits;
        for place in places.iter().take(most) {
            self.place(f, place);
        }
        let hidden: Vec<i32> = places.iter().skip(most).flat_map(|p| p.iter().map(|s| s.process)).collect();
        if !hidden.is_empty() {
            self.cut(&format!("  ... and at other places {}", self.names.list(&sorted(hidden))));
        }
        if let (Some(run), Some(under)) = (f.run, &f.under) {
            self.mark(&format!("first seen in run {run}, under {under}"));
        }
        if let Some(run) = f.came_true {
            self.mark(&format!("came true in run {run}"));
        }
        self.chain(f);
        self.ways(f);
        for note in &f.notes {
            let mut lines = note.lines();
            self.mark(lines.next().unwrap_or_default());
            lines.for_each(|line| self.line(&format!("    {line}")));
        }
        if let Some(library) = f.library().filter(|_| !f.is_leak()) {
            self.mark(&format!("in {library}, a library: --suppressions accepts it with library = \"{library}\""));
        }
        self.mark(&format!("more: mpivet explain {}", f.check));
    }

    /// `= something that is to be said of the finding as a whole`
    pub(super) fn mark(&mut self, text: &str) {
        let line = self.new_line().text("  ").ink(Ink::Blue, "=").text(" ").text(text);
        self.push(line);
    }

    /// The wait-for graph.
    fn chain(&mut self, f: &FindingView) {
        let chain = crate::graph::chain(f, &self.names);
        if !chain.is_empty() {
            self.mark("who waits for whom:");
        }
        let more = chain.len().saturating_sub(self.limits.chain);
        let shown = if more > 1 { self.limits.chain } else { chain.len() };
        for line in &chain[..shown] {
            self.line(&format!("      {line}"));
        }
        if more > 1 {
            self.cut(&format!("      ... and {more} calls more"));
        }
    }

    /// Lists the other callers by which the program came to the same lines.
    fn ways(&mut self, f: &FindingView) {
        let ways = crate::call_paths::words(f, &self.names);
        let more = ways.len().saturating_sub(self.limits.ways);
        let shown = if more > 1 { self.limits.ways } else { ways.len() };
        ways[..shown].iter().for_each(|way| self.mark(&format!("also by way of {way}")));
        if more > 1 {
            self.is_cut = true;
            self.mark(&format!("and by {more} other ways"));
        }
        if let Some(rest) = crate::call_paths::rest(f) {
            self.mark(&rest);
        }
    }

    /// A source line and the calls that ranks made there.
    fn place(&mut self, f: &FindingView, sites: &[&Site]) {
        let site = sites[0];
        if let Some(mut place) = place_in_words(site) {
            if site.line.is_some() && site.source.is_none() {
                place.push_str(" (the source file is not there)");
            }
            let line = self.new_line().text("  ").ink(Ink::Blue, "-->").text(" ").text(&place);
            self.push(line);
        }
        let level = match f.severity {
            "error" => Level::ERROR,
            "warning" => Level::WARNING,
            _ => Level::INFO,
        };
        for line in snippet(site, &highlights(f, sites), level, self.style) {
            self.text.push_str(&line);
            self.text.push('\n');
        }
        let stacks = groups(sites.iter().copied(), |&site| site.stack.as_slice());
        for sites in stacks.iter().take(self.limits.stacks) {
            self.calls(sites);
            let stack = stack(sites[0], self.style.full);
            if !stack.is_empty() {
                self.line(&format!("     stack: {stack}"));
            }
        }
        let hidden: Vec<i32> = stacks.iter().skip(self.limits.stacks).flatten().map(|s| s.process).collect();
        if !hidden.is_empty() {
            self.cut(&format!("     and with other stacks {}", self.names.list(&hidden)));
        }
    }

    fn calls(&mut self, sites: &[&Site]) {
        let calls = groups(sites.iter().copied(), |&site| (&site.call, &site.role, site.thread));
        for sites in calls.iter().take(self.limits.calls) {
            let (site, ranks) = (sites[0], sites.iter().map(|s| s.process).collect::<Vec<_>>());
            let mut text = format!("     {}", self.names.list(&ranks));
            if site.thread != 0 {
                _ = write!(text, " thread {}", site.thread);
            }
            if !site.call.is_empty() {
                _ = write!(text, " in {}", site.call);
            } else if !site.function.is_empty() {
                _ = write!(text, " in {}", site.function);
            }
            if !site.role.is_empty() {
                _ = write!(text, ": {}", site.role);
            }
            self.line(&text);
        }
        let hidden = sorted(calls.iter().skip(self.limits.calls).flatten().map(|s| s.process).collect());
        if !hidden.is_empty() {
            self.cut(&format!("     and {} more: {}", hidden.len(), self.names.list(&hidden)));
        }
    }

    pub(super) fn new_line(&self) -> Line {
        Line::new(self.style)
    }
}

pub(super) fn ink(f: &FindingView) -> Ink {
    match f.severity {
        "error" => Ink::Red,
        "warning" => Ink::Yellow,
        _ => Ink::Cyan,
    }
}

/// `halo.c:12`, or the function and its address where the line is not known.
pub(super) fn place_in_words(site: &Site) -> Option<String> {
    match site.line {
        Some(line) => Some(format!("{}:{line}", site.short)),
        None => site.stack.get(site.user).map(frame),
    }
}

/// The place of a call: a source line, or an address if lines are not known.
#[derive(PartialEq, Eq, Hash)]
enum Place<'a> {
    Line(Option<&'a str>, u32),
    Stack(&'a [Frame]),
    /// An unknown place equals no other.
    Unknown(*const Site),
}

fn place_of(site: &Site) -> Place<'_> {
    match site.line {
        Some(line) => Place::Line(site.file.as_deref(), line),
        None if !site.stack.is_empty() => Place::Stack(&site.stack),
        None => Place::Unknown(site),
    }
}

fn sorted(mut ranks: Vec<i32>) -> Vec<i32> {
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// The user's frames, innermost first: `exchange (halo.c:12) < main (halo.c:40)`; empty where the source line says it
/// all. `full`: those of bindings and libraries between the user's line and MPI before them.
fn stack(site: &Site, full: bool) -> String {
    let frames = if full { site.stack_to_main() } else { site.frames() };
    let trivial = match frames {
        [] => true,
        [only] => site.line.is_none() || only.function.as_deref() == Some("main"),
        _ => false,
    };
    if trivial {
        return String::new();
    }
    stack_of(frames)
}
