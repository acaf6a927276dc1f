//! `mpivet stats`: a run in numbers.

mod csv_tables;
mod sites;
mod table;
mod text;
mod units;

use crate::allocator;
use crate::cli::{StatsFormat, StatsPlan};
use crate::exit::{CLEAN, Exit};
use crate::run::liveness::Lives;
use analyzer::observe::{Ending, Observer};
use report::statistics::Statistics;
use report::{clean_line, clean_text};
use serde::Serialize;
use std::collections::BTreeSet;
use trace_format::settings::selection::Selection;

/// The numbers, and the run that they are about.
#[derive(Debug, Serialize)]
struct Run {
    program: String,
    arguments: Vec<String>,
    /// Ranks of MPI_COMM_WORLD.
    size: i32,
    /// The job goes on.
    running: bool,
    /// Parts that could not be read.
    defects: Vec<String>,
    #[serde(flatten)]
    statistics: Statistics,
}

pub(crate) fn stats(plan: &StatsPlan) -> Result<u8, Exit> {
    let run = count(plan)?;
    let text = match plan.format {
        StatsFormat::Text => text::render(&run, plan.table),
        StatsFormat::Csv => csv_tables::render(&run.statistics, plan.table),
        StatsFormat::Json => {
            let text = serde_json::to_string_pretty(&run).map_err(Exit::cannot)?;
            format!("{text}\n")
        }
    };
    if plan.format == StatsFormat::Csv {
        run.defects.iter().for_each(|defect| eprintln!("mpivet: the trace is incomplete: {defect}"));
    }
    // Names in the trace, which may come from somebody else.
    crate::exit::put(&clean_text(&text))?;
    Ok(CLEAN)
}

fn count(plan: &StatsPlan) -> Result<Run, Exit> {
    let lives = Lives::of(&plan.dir, plan.over);
    let mut observer = Observer::open(&plan.dir, nothing()).map_err(Exit::cannot)?;
    observer.count();
    allocator::suit_to_ranks(observer.traces.headers().count());
    observer.read_rest(|h| lives.is_gone(h));
    let running = lives.tell(observer.traces.headers(), "these are the numbers so far");
    let chosen = match &plan.ranks {
        Some(chosen) => {
            let there: Vec<i32> = observer.traces.headers().map(|h| h.rank).collect();
            let processes = observer.traces.worlds.names().processes(chosen, &there).map_err(Exit::Usage)?;
            Some(processes.into_iter().collect::<BTreeSet<i32>>())
        }
        None => None,
    };
    let mut job = observer.traces.job().0;
    let clean = |text: &mut String| *text = clean_line(text).into_owned();
    job.arguments.iter_mut().chain([&mut job.program]).for_each(clean);
    let mut report = observer.report(Ending::Any).map_err(Exit::cannot)?;
    let defects = report.defects();
    let nothing = || Exit::cannot(anyhow::anyhow!("nothing was counted"));
    let mut statistics = report.take_statistics().ok_or_else(nothing)?;
    if let Some(processes) = chosen {
        statistics.retain(&processes);
    }
    let (program, arguments) = report.command();
    let (program, arguments) = (program.to_owned(), arguments.to_vec());
    Ok(Run { program, arguments, size: job.ranks, running, defects, statistics })
}

/// Turns all checks off: nobody will see their findings.
fn nothing() -> Selection {
    let mut selection = Selection::default();
    // A glob that all names match.
    let chosen = selection.choose("-*");
    debug_assert!(chosen.is_ok());
    selection
}
