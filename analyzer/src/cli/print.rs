//! `mpivet print`.

use super::Exit;
use analyzer::worlds::Chosen;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct PrintArgs {
    /// Trace directory
    dir: PathBuf,
    /// Print the elements of the arrays that the program has dumped with mpivet_dump
    #[arg(long)]
    dumps: bool,
    /// Only these ranks, for example 0-3,5, or w1.0-2 of world 1
    #[arg(long, value_name = "RANKS", allow_hyphen_values = true)]
    rank: Option<Chosen>,
    /// Only calls of this function, for example MPI_Send or send
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Only from this event on
    #[arg(long, value_name = "EVENT")]
    from: Option<u64>,
    /// Only up to this event
    #[arg(long, value_name = "EVENT")]
    to: Option<u64>,
    /// Show when each call began, in seconds since the rank's start, and how long it took
    #[arg(long)]
    times: bool,
}

pub(crate) struct PrintPlan {
    pub(crate) dir: PathBuf,
    pub(crate) ranks: Option<Chosen>,
    pub(crate) function: Option<trace_format::mpi::FnId>,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) times: bool,
    pub(crate) dumps: bool,
}

impl PrintArgs {
    pub(super) fn plan(self) -> Result<PrintPlan, Exit> {
        Ok(PrintPlan {
            dir: self.dir,
            ranks: self.rank,
            function: self.function.map(|name| function(&name)).transpose()?,
            from: self.from.unwrap_or(0),
            to: self.to.unwrap_or(u64::MAX),
            times: self.times,
            dumps: self.dumps,
        })
    }
}

/// The function that a user means by `MPI_Send`, `mpi_send`, `Send` or `send`.
fn function(name: &str) -> Result<trace_format::mpi::FnId, Exit> {
    let full = if name.to_ascii_lowercase().starts_with("mpi") { name.to_owned() } else { format!("MPI_{name}") };
    let rows = trace_format::mpi::FUNCTIONS;
    rows.iter().find(|f| f.name.eq_ignore_ascii_case(&full)).map(|f| f.id).ok_or_else(|| {
        let near = trace_format::near::did_you_mean(&full, rows.iter().map(|f| f.name));
        let near = near.map(|near| format!("; {near}")).unwrap_or_default();
        Exit::Usage(format!("`{name}` is no MPI function{near}"))
    })
}
