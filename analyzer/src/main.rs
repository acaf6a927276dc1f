//! `mpivet`: the command. Each subcommand is a module; all of them end in an exit code of [`exit::Exit`].

#![deny(unsafe_code)]

mod allocator;
mod analyze;
mod atomic_file;
mod call_filter;
mod check_options;
mod cli;
mod config;
mod dumps;
mod environment;
mod exit;
mod explain;
mod export;
mod halt;
mod outputs;
mod print;
mod progress;
mod queues;
mod run;
mod settings;
mod stats;

use cli::{Cli, Plan, RunPlan};
use exit::{CLEAN, Exit, put};
use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::give_back_soon();
    let plan = match Cli::from_command_line().and_then(Plan::new) {
        Ok(plan) => plan,
        Err(exit) => return exit.end(),
    };
    let result = match plan {
        Plan::Run(plan) => with_suspects(*plan).and_then(|plan| run::run(&plan)),
        Plan::Doctor(plan) => run::doctor::doctor(&plan),
        Plan::DoctorRank(program) => run::doctor::answer(&program),
        Plan::Analyze(plan) => analyze::analyze(&plan),
        Plan::Export(plan) => export::export(&plan),
        Plan::Stats(plan) => stats::stats(&plan),
        Plan::Config(plan) => config::config(&plan),
        Plan::Print(plan) => print::print(&plan),
        Plan::Queues(plan) => queues::queues(&plan),
        Plan::QueuesOf(plan) => queues::of_one(&plan),
        Plan::Agent => run::agent::agent(),
        Plan::Explain(name) => explain::explain(&name),
        Plan::Checks => explain::checks(),
        Plan::Suppressions => put(report::gate::suppressions::SHIPPED).map(|()| CLEAN),
        Plan::Schema => put(report::SCHEMA_FILE).map(|()| CLEAN),
        Plan::Env(plan) => environment::print(&plan),
        Plan::Text(text) => put(&String::from_utf8_lossy(&text)).map(|()| CLEAN),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(exit) => exit.end(),
    }
}

/// Reads the earlier run of `--precise-from`.
fn with_suspects(mut plan: RunPlan) -> Result<RunPlan, Exit> {
    let dir = plan.precise_from.as_deref();
    plan.suspects = dir.map(|dir| analyze::suspects(dir, &plan.report)).transpose()?;
    Ok(plan)
}
