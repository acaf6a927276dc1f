//! `mpivet stats`.

use super::over::OverArgs;
use crate::exit::Exit;
use clap::{Args, ValueEnum};
use engine::worlds::Chosen;
use std::path::PathBuf;

/// The format of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsFormat {
    /// Tables for people
    Text,
    /// One table for other programs, chosen by --table
    Csv,
    /// Everything for other programs
    Json,
}

/// One of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Table {
    /// Calls and times by function (as CSV: by rank and function)
    Functions,
    /// Messages by size
    Sizes,
    /// Messages from each rank to each
    Matrix,
    /// Waiting times of ranks, by place and cause
    Waits,
    /// Collective operations by communicator
    Collectives,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Waiting: a late sender makes a receive wait, a late receiver a send, the last one to come all \
                        others of a collective operation that needs it. The time counts at the call in which the \
                        program really waits, MPI_Wait for example. `other` is the rest of the time in calls that may \
                        wait: data under way, or a cause that is not known."
)]
pub(super) struct StatsArgs {
    /// Trace directory
    dir: PathBuf,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = StatsFormat::Text)]
    format: StatsFormat,
    /// Only this table [default: all of them as text, functions as CSV]
    #[arg(long, value_enum)]
    table: Option<Table>,
    /// Only these ranks, for example 0-3,5, or w1.0-2 of world 1
    #[arg(long, value_name = "RANKS", allow_hyphen_values = true)]
    rank: Option<Chosen>,
    #[command(flatten)]
    over: OverArgs,
}

pub(crate) struct StatsPlan {
    pub(crate) dir: PathBuf,
    pub(crate) format: StatsFormat,
    pub(crate) table: Option<Table>,
    pub(crate) ranks: Option<Chosen>,
    /// The user says that the job is over.
    pub(crate) over: bool,
}

impl StatsArgs {
    pub(super) fn plan(self) -> Result<StatsPlan, Exit> {
        if self.rank.is_some() && self.table == Some(Table::Collectives) {
            return Err(Exit::Usage(
                "collective operations are counted by communicator, not by rank; leave out --rank".into(),
            ));
        }
        if self.format == StatsFormat::Json && self.table.is_some() {
            return Err(Exit::Usage("JSON has all tables; leave out --table".into()));
        }
        Ok(StatsPlan { dir: self.dir, format: self.format, table: self.table, ranks: self.rank, over: self.over.over })
    }
}
