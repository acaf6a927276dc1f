//! The tables for other programs: seconds and bytes as plain numbers.

use crate::cli::Table;
use report::csv::row;
use report::statistics::Statistics;

pub(super) fn render(statistics: &Statistics, table: Option<Table>) -> String {
    let mut out = String::new();
    match table.unwrap_or(Table::Functions) {
        Table::Functions => functions(&mut out, statistics),
        Table::Sizes => sizes(&mut out, statistics),
        Table::Matrix => matrix(&mut out, statistics),
        Table::Waits => waits(&mut out, statistics),
        Table::Collectives => collectives(&mut out, statistics),
    }
    out
}

fn s(seconds: f64) -> String {
    format!("{seconds:.9}")
}

fn n(n: u64) -> String {
    n.to_string()
}

fn functions(out: &mut String, statistics: &Statistics) {
    let head =
        ["rank", "function", "calls", "open", "seconds", "polling_seconds", "min_seconds", "max_seconds", "bytes"];
    row(out, head);
    for rank in &statistics.ranks {
        for f in &rank.functions {
            let [seconds, polling, min, max] = [f.seconds, f.polling_seconds, f.min_seconds, f.max_seconds].map(s);
            let who = rank.who.to_string();
            row(out, [who, f.name().into(), n(f.calls), n(f.open), seconds, polling, min, max, n(f.bytes)]);
        }
    }
}

fn sizes(out: &mut String, statistics: &Statistics) {
    row(out, ["from_bytes", "to_bytes", "messages", "bytes"]);
    for size in &statistics.sizes {
        row(out, [size.from, size.to, size.messages, size.bytes].map(n));
    }
    if statistics.unknown_sizes > 0 {
        row(out, ["", "", &n(statistics.unknown_sizes), ""]);
    }
}

fn matrix(out: &mut String, statistics: &Statistics) {
    row(out, ["from", "to", "messages", "bytes"]);
    for pair in &statistics.pairs {
        row(out, [pair.from.to_string(), pair.to.to_string(), n(pair.messages), n(pair.bytes)]);
    }
}

fn waits(out: &mut String, statistics: &Statistics) {
    let head = [
        "rank",
        "function",
        "file",
        "line",
        "calls",
        "seconds",
        "late_sender_seconds",
        "late_receiver_seconds",
        "collective_seconds",
        "other_seconds",
    ];
    row(out, head);
    for site in &statistics.sites {
        let w = site.waits;
        let [seconds, sender, receiver, collective, other] =
            [site.seconds, w.late_sender, w.late_receiver, w.collective, w.other].map(s);
        let (file, line) =
            (site.file.clone().unwrap_or_default(), site.line.map(|l| l.to_string()).unwrap_or_default());
        let (who, calls) = (site.who.to_string(), n(site.calls));
        row(out, [who, site.id.name().into(), file, line, calls, seconds, sender, receiver, collective, other]);
    }
}

fn collectives(out: &mut String, statistics: &Statistics) {
    let head = [
        "communicator",
        "number",
        "processes",
        "function",
        "operations",
        "unfinished",
        "seconds",
        "wait_seconds",
        "max_wait_seconds",
    ];
    row(out, head);
    for c in &statistics.collectives {
        let (size, number) = (n(c.size as u64), c.number.map(|n| n.to_string()).unwrap_or_default());
        let [seconds, wait, max] = [c.seconds, c.wait_seconds, c.max_wait_seconds].map(s);
        let (operations, unfinished) = (n(c.operations), n(c.unfinished));
        let name = c.communicator.clone();
        row(out, [name, number, size, c.id.name().into(), operations, unfinished, seconds, wait, max]);
    }
}
