//! `mpivet print`: the trace in the readable notation, one line a call, or as JSON. Event numbers, times and source
//! lines, which the notation has no place for, stand behind `//`, so that the output can be read back as a trace.

mod json;
mod printer;
mod system_events;
mod unmatched;

use crate::cli::{PrintFormat, PrintPlan};
use crate::exit::{CLEAN, Exit};
use analyzer::load::Traces;
use printer::Printer;
use report::clean_line;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use unmatched::Unmatched;

pub(crate) fn print(plan: &PrintPlan) -> Result<u8, Exit> {
    let traces = Traces::open(&plan.dir).map_err(Exit::cannot)?;
    let there: Vec<i32> = traces.headers().map(|h| h.rank).collect();
    let wanted: BTreeSet<i32> = match &plan.ranks {
        Some(chosen) => {
            let found = traces.worlds.names().processes(chosen, &there).map_err(Exit::Usage)?;
            found.into_iter().collect()
        }
        None => there.iter().copied().collect(),
    };
    let size = traces.size().unwrap_or(0);
    if let Some(peer) = plan.filter.peers.iter().find(|p| **p >= size || **p < 0) {
        return Err(Exit::Usage(format!("there is no rank {peer}: this run has {size} ranks, from 0 on")));
    }
    let mut unmatched = Unmatched::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let result = worlds(plan, &traces, &mut out)
        .and_then(|()| wanted.iter().try_for_each(|&rank| print_rank(plan, rank, &traces, &mut unmatched, &mut out)))
        .and_then(|()| out.flush());
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Exit::cannot(e)),
        Err(_) => Ok(CLEAN),
        // A filter that matched nothing is perhaps misspelt.
        Ok(()) => unmatched.complaint(plan).map_or(Ok(CLEAN), |what| Err(Exit::Usage(what))),
    }
}

fn worlds(plan: &PrintPlan, traces: &Traces, out: &mut dyn Write) -> io::Result<()> {
    traces.worlds.iter().enumerate().try_for_each(|(world, (_, size, _))| match (plan.format, world) {
        (PrintFormat::Json, _) => writeln!(out, "{}", json!({"kind": "world", "world": world, "ranks": size})),
        (PrintFormat::Text, 0) => writeln!(out, "ranks {size}"),
        (PrintFormat::Text, _) => writeln!(out, "ranks w{world} {size}"),
    })
}

fn print_rank(
    plan: &PrintPlan,
    rank: i32,
    all: &Traces,
    unmatched: &mut Unmatched,
    out: &mut dyn Write,
) -> io::Result<()> {
    // A directory of its own view: one rank after the other, each read once and forgotten.
    let Some(mut traces) = all.only(rank) else { return Ok(()) };
    let names = traces.worlds.names();
    traces.writer_is_gone(rank);
    let Some(header) = traces.header(rank).cloned() else { return Ok(()) };
    let mut printer = Printer::new(plan, header, &names, unmatched);
    let mut events = Vec::new();
    while !traces.poll(4, &|_| false, &mut |_, event| events.push(event.into())).is_empty() {
        for event in events.drain(..) {
            printer.event(event, &mut traces.symbols, out)?;
        }
    }
    for event in events.drain(..) {
        printer.event(event, &mut traces.symbols, out)?;
    }
    printer.finish(&mut traces.symbols, out)?;
    for damage in traces.damage(false) {
        let at = damage.offset.map(|o| format!(" at byte {o}")).unwrap_or_default();
        let (world, number) = names.of(rank);
        match plan.format {
            PrintFormat::Text => writeln!(out, "// {}{at}: {}", names.list(&[rank]), clean_line(&damage.what))?,
            PrintFormat::Json => {
                let mut line = json::line("damage", &json::Origin { world, rank: number, thread: 0 });
                line.insert("offset".into(), json!(damage.offset));
                line.insert("text".into(), json!(damage.what));
                writeln!(out, "{}", serde_json::Value::Object(line))?;
            }
        }
    }
    Ok(())
}
