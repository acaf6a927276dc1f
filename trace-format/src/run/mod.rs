//! A run, beside its traces: the jobs of a command and where they are, what their processes and the command that watches them
//! tell each other by files.

pub mod agent;
pub mod discovery;
pub mod early;
pub mod file_system;
pub mod job;
pub mod jobs;
pub mod node_ends;
pub mod nonce;
pub mod over;
pub mod proc;
pub mod stages;
pub mod suspects;
pub mod witness;
