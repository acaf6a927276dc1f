//! `mpivet config`, and which file of settings a command reads.

use super::run::RunArgs;
use crate::settings::EffectiveSettings;
use clap::Args;
use std::path::PathBuf;

/// The configuration file, for all commands that obey all settings.
#[derive(Debug, Args)]
pub(crate) struct ConfigFileArgs {
    /// File with settings [default: mpivet.toml in the working directory or above it]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Read no file with settings
    #[arg(long)]
    no_config: bool,
}

#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(flatten)]
    _run: RunArgs,
    /// Print the settings as lines for a shell, for jobs without `mpivet run`
    #[arg(long)]
    env: bool,
    /// Print a sample of mpivet.toml with all settings
    #[arg(long, conflicts_with = "env")]
    sample: bool,
}

/// The output of `mpivet config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigShown {
    Text,
    Json,
    Environment,
    Sample,
}

pub(crate) struct ConfigPlan {
    pub(crate) settings: EffectiveSettings,
    pub(crate) shown: ConfigShown,
}

impl ConfigArgs {
    pub(super) fn plan(self, settings: EffectiveSettings) -> ConfigPlan {
        let shown = match settings.typed_format() {
            _ if self.env => ConfigShown::Environment,
            _ if self.sample => ConfigShown::Sample,
            Some(format) if format == "json" => ConfigShown::Json,
            _ => ConfigShown::Text,
        };
        ConfigPlan { settings, shown }
    }
}
