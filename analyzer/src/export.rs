//! `mpivet export`: the events of a run for other programs.

use crate::cli::{ExportPlan, Target};
use crate::exit::{CLEAN, Exit};
use crate::run::liveness::Lives;
use analyzer::events::{Calls, Error, Limit, Perfetto, Size, Writer, write};
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(crate) fn export(plan: &ExportPlan) -> Result<u8, Exit> {
    if plan.perfetto.is_some() && plan.perfetto == plan.csv {
        return Err(Exit::Usage("--perfetto and --csv cannot go to the same place".into()));
    }
    let (mut writers, size): (Vec<Box<dyn Writer>>, _) = (Vec::new(), Size::default());
    if let Some(target) = &plan.perfetto {
        writers.push(Box::new(Perfetto::new(open(target, &size)?)));
    }
    if let Some(target) = &plan.csv {
        writers.push(Box::new(Calls::new(open(target, &size)?)));
    }
    let lives = Lives::of(&plan.dir, plan.over);
    let limit = Limit { size: size.clone(), most: plan.most.saturating_mul(1 << 20) };
    let done = match write(&plan.dir, writers, limit, &|h| lives.is_gone(h)) {
        // A reader that has gone away has seen enough.
        Err(Error::Write(e)) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(CLEAN),
        Err(e) => return Err(Exit::cannot(e)),
        Ok(done) => done,
    };
    lives.tell(done.running.iter(), "this is what it has done so far");
    if done.left_out > 0 {
        eprintln!(
            "mpivet: stopped at {} MB: {} events more are not in it; --max-size {} has a larger limit, --max-size 0 none",
            plan.most,
            done.left_out,
            plan.most.saturating_mul(4)
        );
    }
    eprintln!("mpivet: wrote {}", in_words(size.bytes()));
    done.defects.iter().for_each(|defect| eprintln!("mpivet: the trace is incomplete: {defect}"));
    Ok(CLEAN)
}

/// A number of bytes for people.
fn in_words(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

fn open(target: &Target, size: &Size) -> Result<Box<dyn Write + Send>, Exit> {
    Ok(match target {
        Target::Stdout => size.counted(BufWriter::new(io::stdout())),
        Target::File(path) => match File::create(path) {
            Ok(file) => size.counted(BufWriter::with_capacity(1 << 20, file)),
            Err(e) => return Err(Exit::Usage(format!("cannot write {}: {e}", path.display()))),
        },
    })
}
