//! `mpivet print`.

use crate::call_filter::{self as filter, Filter};
use crate::exit::Exit;
use clap::{Args, ValueEnum};
use engine::worlds::Chosen;
use std::path::PathBuf;

/// The format of the printed trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrintFormat {
    Text,
    /// An object a line
    Json,
}

#[derive(Debug, Args)]
pub(super) struct PrintArgs {
    /// Trace directory
    dir: PathBuf,
    /// Print the elements of the arrays that the program has dumped with mpivet_dump; with NAMES (commas between, `*` for
    /// anything) only these arrays, and no calls
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    dumps: Option<String>,
    /// Only these ranks, for example 0-3,5, or w1.0-2 of world 1
    #[arg(long, value_name = "RANKS", allow_hyphen_values = true)]
    rank: Option<Chosen>,
    /// Only calls of these functions, for example MPI_Send, send or 'MPI_I*,MPI_Wait*'
    #[arg(long, value_name = "NAMES")]
    function: Option<String>,
    /// Only from this event on
    #[arg(long, value_name = "EVENT")]
    from: Option<u64>,
    /// Only up to this event
    #[arg(long, value_name = "EVENT")]
    to: Option<u64>,
    /// Leave out everything that was over before this time, in seconds since the rank's start
    #[arg(long, value_name = "SECONDS", value_parser = filter::seconds)]
    since: Option<f64>,
    /// Leave out everything that began after this time
    #[arg(long, value_name = "SECONDS", value_parser = filter::seconds)]
    until: Option<f64>,
    /// Only calls that name or make this communicator, or a window or file on it: its name as it is printed (`*` stands for
    /// anything), or the number in c3. May be given several times
    #[arg(long, value_name = "NAME")]
    comm: Vec<String>,
    /// Only calls that name these ranks of MPI_COMM_WORLD, in any communicator, as source, destination, target or
    /// root, or in a status
    #[arg(long, value_name = "RANKS")]
    peer: Option<trace_format::ranks::Ranks>,
    /// Only calls of these threads, numbered by their first calls
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    thread: Vec<u16>,
    /// Only calls with this value of a parameter, as it is printed (`*` stands for anything), for example tag=999. If given
    /// several times, all must hold
    #[arg(long, value_name = "NAME=VALUE", value_parser = filter::param)]
    param: Vec<(String, String)>,
    /// Print calls and returns apart, in the order in which they happened in each rank
    #[arg(long)]
    events: bool,
    /// Show when each call began, in seconds since the rank's start, and how long it took
    #[arg(long)]
    times: bool,
    /// The readable notation, or JSON: an object a line
    #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
    format: PrintFormat,
}

pub(crate) struct PrintPlan {
    pub(crate) dir: PathBuf,
    pub(crate) ranks: Option<Chosen>,
    pub(crate) filter: Filter,
    pub(crate) times: bool,
    pub(crate) events: bool,
    pub(crate) format: PrintFormat,
    /// Dumps are printed; only those of these names if there are some.
    pub(crate) dumps: Option<Vec<String>>,
}

impl PrintPlan {
    /// Are dumps the only output?
    pub(crate) fn only_dumps(&self) -> bool {
        self.dumps.as_ref().is_some_and(|names| !names.is_empty())
    }
}

impl PrintArgs {
    pub(super) fn plan(self) -> Result<PrintPlan, Exit> {
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since > until
        {
            return Err(Exit::Usage(format!("--since {since} is later than --until {until}: nothing is between")));
        }
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from > to
        {
            return Err(Exit::Usage(format!("--from {from} is behind --to {to}: nothing is between")));
        }
        let names = |words: String| words.split(',').filter(|w| !w.is_empty()).map(str::to_owned).collect();
        let filter = Filter {
            functions: self.function.map(|words| filter::functions(&words)).transpose().map_err(Exit::Usage)?,
            from: self.from,
            to: self.to,
            since: self.since,
            until: self.until,
            threads: self.thread,
            comms: self.comm,
            peers: self.peer.iter().flat_map(|ranks| ranks.iter()).collect(),
            params: self.param,
        };
        Ok(PrintPlan {
            dir: self.dir,
            ranks: self.rank,
            filter,
            times: self.times,
            events: self.events,
            format: self.format,
            dumps: self.dumps.map(names),
        })
    }
}
