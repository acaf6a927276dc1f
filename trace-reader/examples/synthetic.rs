//! Writes the traces of a run that never was, to measure with: see `docs/scale.md`.

use std::error::Error;
use std::path::Path;
use trace_reader::synthetic::{Hang, Stencil};

const USAGE: &str = "synthetic DIR RANKS EVENTS [comms] [varied] [hangs|half|odd|two]\n\
    Writes the traces of RANKS processes into DIR that exchange halos and reduce: about EVENTS calls and returns in all.\n\
    comms: also over communicators of rows and columns; varied: hardly a call is as one before it;\n\
    anew: in each round other halos are left out, so that no rank goes round in a loop;\n\
    hangs: all wait for ever at the end, in a barrier behind rank 0; half, odd: half of them behind the others;\n\
    two: one half in one barrier, the other half in another one.";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, ranks, events, more @ ..] = &args[..] else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let has = |word: &str| more.iter().any(|m| m == word);
    // As in 1e9.
    let events: f64 = events.parse()?;
    let (grid_comms, varied, anew) = (has("comms"), has("varied"), has("anew"));
    let hangs = [("hangs", Hang::Behind0), ("half", Hang::BehindHalf), ("odd", Hang::BehindOdd), ("two", Hang::InTwo)];
    let hang = hangs.iter().find(|(word, _)| has(word)).map(|(_, hang)| *hang);
    let run = Stencil { ranks: ranks.parse()?, rounds: 0, reduce_every: 10, grid_comms, varied, anew, hang };
    let run = run.with_events(events as u64);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    run.write(Path::new(dir), threads)?;
    println!("{} ranks, {} rounds, {} events", run.ranks, run.rounds, run.events());
    Ok(())
}
