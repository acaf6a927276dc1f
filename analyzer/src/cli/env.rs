//! `mpivet env`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct EnvArgs {
    /// Trace directory
    dir: PathBuf,
    /// Only categories of this name, in which * stands for anything
    #[arg(long, value_name = "GLOB")]
    category: Option<String>,
    /// Only variables with this text in their name, value or description
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only variables that were changed, as far as that is known
    #[arg(long)]
    changed: bool,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = EnvFormat::Text)]
    format: EnvFormat,
}

/// The output of `mpivet env`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EnvFormat {
    Text,
    Json,
}

pub(crate) struct EnvPlan {
    pub(crate) dir: PathBuf,
    pub(crate) category: Option<String>,
    pub(crate) filter: Option<String>,
    pub(crate) changed: bool,
    pub(crate) format: EnvFormat,
}

impl EnvArgs {
    pub(super) fn plan(self) -> EnvPlan {
        let EnvArgs { dir, category, filter, changed, format } = self;
        EnvPlan { dir, category, filter, changed, format }
    }
}
