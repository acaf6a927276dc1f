//! `mpivet`: the command. Each subcommand is a module; all of them end in an exit code of [`cli::Exit`].

#![forbid(unsafe_code)]

mod analyze;
mod atomic_file;
mod choices;
mod cli;
mod dumps;
mod environment;
mod explain;
mod export;
mod outputs;
mod print;
mod progress;
mod queues;
mod run;
mod settings;
mod stats;

use cli::{Cli, Exit, Plan};
use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

/// Calls are made by the threads that read and end where the engine has used them: an allocator that is good at that.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let plan = match Cli::from_command_line().and_then(Plan::new) {
        Ok(plan) => plan,
        Err(exit) => return exit.end(),
    };
    let result = match plan {
        Plan::Run(plan) => run::run(&plan),
        Plan::Analyze(plan) => analyze::analyze(&plan),
        Plan::Export(plan) => export::export(&plan),
        Plan::Stats(plan) => stats::stats(&plan),
        Plan::Config(plan) => settings::config(&plan),
        Plan::Print(plan) => print::print(&plan),
        Plan::Queues(plan) => queues::queues(&plan),
        Plan::QueuesOf(plan) => queues::of_one(&plan),
        Plan::Explain(name) => explain::explain(&name),
        Plan::Checks => explain::checks(),
        Plan::Suppressions => crate::put(report::gate::suppressions::SHIPPED).map(|()| cli::CLEAN),
        Plan::Schema => crate::put(report::SCHEMA_FILE).map(|()| cli::CLEAN),
        Plan::Env(plan) => environment::print(&plan),
        Plan::Text(text) => put(&String::from_utf8_lossy(&text)).map(|()| cli::CLEAN),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(exit) => exit.end(),
    }
}

/// Writes `text` to standard output. A reader that has gone away (`mpivet print | head`) is no error.
fn put(text: &str) -> Result<(), Exit> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Exit::cannot(anyhow::anyhow!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
