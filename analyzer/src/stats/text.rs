//! The tables for people.

use super::Run;
use super::sites::places;
use super::table::Table as Columns;
use super::units::{bytes, percent, span, time};
use crate::cli::Table;
use report::statistics::{Pair, ProcessName, Rank, Statistics};
use std::fmt::Write as _;

/// Ranks whose matrix is printed whole.
const MAX_MATRIX: usize = 32;
/// Rows of the other tables; the rest is for CSV.
const MAX_PAIRS: usize = 20;
const MAX_RANKS: usize = 32;
const MAX_PLACES: usize = 20;
const MAX_COLLECTIVES: usize = 40;
/// Width of the longest bar.
const BAR: u64 = 40;
const MAX_DEFECTS: usize = 10;

pub(super) fn render(run: &Run, table: Option<Table>) -> String {
    let s = &run.statistics;
    let mut out = String::new();
    if table.is_none() {
        summary(&mut out, run);
    }
    let wanted = |t: Table| table.is_none_or(|only| only == t);
    if wanted(Table::Functions) {
        functions(&mut out, s);
    }
    if wanted(Table::Waits) {
        waits(&mut out, s);
    }
    if wanted(Table::Sizes) {
        sizes(&mut out, s);
    }
    if wanted(Table::Matrix) {
        matrix(&mut out, s);
    }
    if wanted(Table::Collectives) {
        collectives(&mut out, s);
    }
    if !run.defects.is_empty() {
        out += "\nwarning: the trace is incomplete, and so are these numbers:\n";
        for defect in run.defects.iter().take(MAX_DEFECTS) {
            _ = writeln!(out, "  {defect}");
        }
        more(&mut out, run.defects.len(), MAX_DEFECTS, "");
    }
    out
}

fn summary(out: &mut String, run: &Run) {
    let s = &run.statistics;
    _ = write!(out, "mpivet: {}", run.program);
    run.arguments.iter().for_each(|argument| _ = write!(out, " {argument}"));
    let ranks = if run.size == 1 { "1 rank".to_owned() } else { format!("{} ranks", run.size) };
    _ = writeln!(out, ", {ranks}, {}", time(s.seconds));
    shares(out, s);
    if s.hosts.len() > 1 {
        _ = writeln!(out, "  hosts: {}", s.hosts.join(", "));
    }
    if s.clocks_differ {
        _ = writeln!(
            out,
            "  The ranks do not all read one clock: what they waited for each other is as exact as their hosts' clocks."
        );
    }
}

/// The shares of the time of all threads. The parts add up to the whole, and those of the functions are the first
/// two.
fn shares(out: &mut String, s: &Statistics) {
    let sum = |of: fn(&Rank) -> f64| s.ranks.iter().map(of).sum::<f64>();
    let (mpi, polling) = (sum(|r| r.mpi_seconds), sum(|r| r.polling_seconds));
    let share = |part| percent(part, s.thread_seconds);
    _ = write!(out, "  in MPI: {} % of {}", share(mpi), whose_time(s));
    if polling > 0.0 {
        _ = write!(out, ", polling with what the program did in between: {} %", share(polling));
    }
    _ = writeln!(out, ", outside: {} %", share((s.thread_seconds - mpi - polling).max(0.0)));
}

/// The whole of the shares.
fn whose_time(s: &Statistics) -> &'static str {
    let has_threads = s.ranks.iter().any(|r| r.thread_seconds != r.seconds);
    if has_threads { "the time of all threads of all ranks" } else { "the time of all ranks" }
}

/// Says that a table goes on.
fn more(out: &mut String, rows: usize, shown: usize, table: &str) {
    if rows > shown {
        let where_ = if table.is_empty() { String::new() } else { format!(" (--format csv --table {table} has all)") };
        _ = writeln!(out, "  ... and {} more{where_}", rows - shown);
    }
}

fn functions(out: &mut String, s: &Statistics) {
    let mut table = Columns::new(["function", ">calls", ">time", ">%", ">mean", ">shortest", ">longest", ">bytes"]);
    let (mut open, mut polling) = (0, 0.0);
    for f in &s.functions {
        let timed = f.calls.saturating_sub(f.open).max(1);
        let polls = f.polling_seconds > 0.0;
        open += f.open;
        polling += f.polling_seconds;
        table.row(vec![
            if f.open > 0 { format!("{} ({} not returned)", f.name(), f.open) } else { f.name().to_owned() },
            f.calls.to_string(),
            format!("{}{}", time(f.seconds + f.polling_seconds), if polls { "*" } else { "" }),
            percent(f.seconds + f.polling_seconds, s.thread_seconds),
            if polls { String::new() } else { time(f.seconds / timed as f64) },
            if f.max_seconds > 0.0 { time(f.min_seconds) } else { String::new() },
            if f.max_seconds > 0.0 { time(f.max_seconds) } else { String::new() },
            if f.bytes > 0 { bytes(f.bytes) } else { String::new() },
        ]);
    }
    _ = writeln!(out, "\nfunctions (% of {}, {})", time(s.thread_seconds), whose_time(s));
    *out += &table.render();
    if open > 0 {
        _ = writeln!(out, "  {open} calls had not returned when the trace ended; their time does not count");
    }
    if polling > 0.0 {
        *out += "  * with what the program did between polls that were repeated\n";
    }
}

fn waits(out: &mut String, s: &Statistics) {
    let mut table = Columns::new(["cause", ">time", ">%"]);
    let sum = |of: fn(&Rank) -> f64| s.ranks.iter().map(of).sum::<f64>();
    for (cause, seconds) in [
        ("late sender", sum(|r| r.waits.late_sender)),
        ("late receiver", sum(|r| r.waits.late_receiver)),
        ("wait at collective", sum(|r| r.waits.collective)),
        ("other", sum(|r| r.waits.other)),
    ] {
        table.row(vec![cause.into(), time(seconds), percent(seconds, s.thread_seconds)]);
    }
    *out += "\nwaiting by cause\n";
    *out += &table.render();
    waits_of_ranks(out, s);
    waits_at_places(out, s);
}

fn waits_of_ranks(out: &mut String, s: &Statistics) {
    let mut ranks: Vec<&Rank> = s.ranks.iter().collect();
    let all = ranks.len();
    if all > MAX_RANKS {
        ranks.sort_by(|a, b| b.waits.explained().total_cmp(&a.waits.explained()));
        ranks.truncate(MAX_RANKS);
    }
    let mut table =
        Columns::new([">rank", ">time", ">in MPI", ">%", ">late sender", ">late receiver", ">collective", ">other"]);
    for r in ranks {
        let mut row =
            vec![r.who.to_string(), time(r.seconds), time(r.mpi_seconds), percent(r.mpi_seconds, r.thread_seconds)];
        row.extend([r.waits.late_sender, r.waits.late_receiver, r.waits.collective, r.waits.other].map(time));
        table.row(row);
    }
    *out += if all > MAX_RANKS { "\nranks that waited longest for others\n" } else { "\nranks\n" };
    *out += &table.render();
    more(out, all, MAX_RANKS, "waits");
}

fn waits_at_places(out: &mut String, s: &Statistics) {
    let places = places(s);
    if places.is_empty() {
        return;
    }
    let head = [
        ">waited",
        ">%",
        ">late sender",
        ">late receiver",
        ">collective",
        ">calls",
        ">ranks",
        ">worst rank",
        "call",
        "place",
        "source",
    ];
    let mut table = Columns::new(head);
    for p in places.iter().take(MAX_PLACES) {
        let waited = p.waits.explained();
        let mut row = vec![time(waited), percent(waited, s.thread_seconds)];
        row.extend([p.waits.late_sender, p.waits.late_receiver, p.waits.collective].map(time));
        row.extend([p.calls.to_string(), p.ranks.to_string(), format!("{} ({})", p.worst.0, time(p.worst.1))]);
        let source = p.source.map(|line| line.trim().replace('\t', " ")).unwrap_or_default();
        row.extend([p.id.name().to_owned(), p.place.to_owned(), source]);
        table.row(row);
    }
    *out += "\nwhere ranks waited for others\n";
    *out += &table.render();
    more(out, places.len(), MAX_PLACES, "waits");
}

fn sizes(out: &mut String, s: &Statistics) {
    if s.sizes.is_empty() && s.unknown_sizes == 0 {
        return;
    }
    let most = s.sizes.iter().map(|size| size.messages).max().unwrap_or(0).max(1);
    let mut table = Columns::new([">size", ">messages", ">bytes", ""]);
    for size in &s.sizes {
        // Each size that occurs has a bar, however short.
        let bar = (u128::from(size.messages) * u128::from(BAR)).div_ceil(u128::from(most)) as usize;
        let row = [span(size.from, size.to), size.messages.to_string(), bytes(size.bytes), "#".repeat(bar)];
        table.row(row.into());
    }
    if s.unknown_sizes > 0 {
        table.row(["not known".into(), s.unknown_sizes.to_string(), String::new(), String::new()].into());
    }
    *out += "\nmessages by size\n";
    *out += &table.render();
}

fn matrix(out: &mut String, s: &Statistics) {
    if s.pairs.is_empty() {
        return;
    }
    let processes = s.processes();
    if processes.len() > MAX_MATRIX {
        return busiest(out, s);
    }
    let of = |what: &str, cell: &dyn Fn(&Pair) -> String| {
        let head = std::iter::once(">from \\ to".to_owned()).chain(processes.iter().map(|to| format!(">{to}")));
        let mut table = Columns::new(head);
        for from in &processes {
            let pair = |to: &ProcessName| s.pairs.iter().find(|p| p.from == *from && p.to == *to);
            let cells = processes.iter().map(|to| pair(to).map_or_else(|| ".".to_owned(), cell));
            table.row(std::iter::once(from.to_string()).chain(cells).collect());
        }
        format!("\n{what}\n{}", table.render())
    };
    *out += &of("messages from rank to rank", &|p| p.messages.to_string());
    *out += &of("bytes from rank to rank", &|p| bytes(p.bytes));
}

fn busiest(out: &mut String, s: &Statistics) {
    let mut pairs: Vec<_> = s.pairs.iter().collect();
    pairs.sort_by_key(|p| std::cmp::Reverse((p.bytes, p.messages)));
    let mut table = Columns::new([">from", ">to", ">messages", ">bytes"]);
    for p in pairs.iter().take(MAX_PAIRS) {
        table.row(vec![p.from.to_string(), p.to.to_string(), p.messages.to_string(), bytes(p.bytes)]);
    }
    *out += "\nbusiest pairs of ranks\n";
    *out += &table.render();
    more(out, pairs.len(), MAX_PAIRS, "matrix");
}

fn collectives(out: &mut String, s: &Statistics) {
    if s.collectives.is_empty() {
        return;
    }
    let head = [
        "communicator",
        ">processes",
        "function",
        ">operations",
        ">time",
        ">%",
        ">waited for the last",
        ">longest wait",
    ];
    let mut table = Columns::new(head);
    let mut list: Vec<_> = s.collectives.iter().collect();
    if list.len() > MAX_COLLECTIVES {
        list.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    }
    for c in list.iter().take(MAX_COLLECTIVES) {
        let open = if c.unfinished > 0 { format!(" ({} unfinished)", c.unfinished) } else { String::new() };
        table.row(vec![
            c.communicator.clone(),
            if c.size > 0 { c.size.to_string() } else { "?".to_owned() },
            format!("{}{open}", c.id.name()),
            c.operations.to_string(),
            time(c.seconds),
            percent(c.seconds, s.thread_seconds),
            time(c.wait_seconds),
            time(c.max_wait_seconds),
        ]);
    }
    *out += "\ncollective operations\n";
    *out += &table.render();
    more(out, list.len(), MAX_COLLECTIVES, "collectives");
}
