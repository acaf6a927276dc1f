//! One job of those that a command has started.

use super::{Mpi, QueueView, SampleView, Task};
use crate::command_line::command_line;
use engine::worlds::Names;
use serde::Serialize;
use std::fmt::Write as _;

/// The end of a job that mpivet stopped.
pub(crate) const STOPPED: &str = "stopped, because it could never have gone on";

/// One job.
#[derive(Debug, Serialize)]
pub(crate) struct JobView {
    /// Number, from 1, in the order of their start.
    pub(crate) job: usize,
    /// Directory of its trace, in that of the command.
    pub(crate) dir: String,
    /// The command that started it; empty: not known.
    pub(crate) command: Vec<String>,
    /// The test that it belongs to, where the test driver says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<String>,
    pub(crate) mpi: Mpi,
    pub(crate) task: Task,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) queues: Vec<QueueView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) samples: Vec<SampleView>,
    #[serde(skip)]
    pub(crate) names: Names,
}

impl JobView {
    pub(crate) fn name(&self) -> String {
        let program: Vec<&str> = match self.command.is_empty() {
            true => {
                [self.task.program.as_str()].into_iter().chain(self.task.arguments.iter().map(String::as_str)).collect()
            }
            false => self.command.iter().map(String::as_str).collect(),
        };
        let mut name = format!("job {}: {}", self.job, command_line(&program));
        if let Some(test) = &self.test {
            _ = write!(name, " ({test})");
        }
        name
    }
}
