//! `mpivet export`: the events of a run for other programs.

use crate::cli::{CLEAN, Exit, ExportPlan, Target};
use crate::run::evidence::running_here;
use analyzer::events::{Calls, Error, Perfetto, Writer, write};
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(crate) fn export(plan: &ExportPlan) -> Result<u8, Exit> {
    if plan.perfetto.is_some() && plan.perfetto == plan.csv {
        return Err(Exit::Usage("--perfetto and --csv cannot go to the same place".into()));
    }
    let mut writers: Vec<Box<dyn Writer>> = Vec::new();
    if let Some(target) = &plan.perfetto {
        writers.push(Box::new(Perfetto::new(open(target)?)));
    }
    if let Some(target) = &plan.csv {
        writers.push(Box::new(Calls::new(open(target)?)));
    }
    let lives = running_here();
    let done = match write(&plan.dir, writers, &|h| !lives(h)) {
        // A reader that has gone away has seen enough.
        Err(Error::Write(e)) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(CLEAN),
        Err(e) => return Err(Exit::cannot(e)),
        Ok(done) => done,
    };
    if done.running {
        eprintln!("mpivet: the job is still running; this is what it has done so far");
    }
    done.defects.iter().for_each(|defect| eprintln!("mpivet: the trace is incomplete: {defect}"));
    Ok(CLEAN)
}

fn open(target: &Target) -> Result<Box<dyn Write + Send>, Exit> {
    Ok(match target {
        Target::Stdout => Box::new(BufWriter::new(io::stdout())),
        Target::File(path) => match File::create(path) {
            Ok(file) => Box::new(BufWriter::with_capacity(1 << 20, file)),
            Err(e) => return Err(Exit::Usage(format!("cannot write {}: {e}", path.display()))),
        },
    })
}
