//! Jobs that span nodes: on each node of a job but that of `mpivet run` there is one agent, which sees what happens to the
//! processes there, and tells it over the network.
//!
//! - [`wire`]: what the two say to each other, and how each knows that the other one has the secret of this run.
//! - [`node`]: the agent. It ends when its peer or the last process of the job on its node is gone.
//! - [`hub`]: its peer in `mpivet run`, which has all agents of a job.
//! - [`visit`]: somebody else who asks the agents.
//! - [`process`]: what can be seen of a process from outside; [`ends`]: in which order processes end.
//!
//! An agent sends no message of MPI and is no part of the job: the first rank of a node starts it and forgets it.

#![deny(unsafe_code)]
#![deny(missing_docs)]

pub mod ends;
pub mod hub;
pub mod node;
pub mod process;
pub mod visit;
pub mod wire;
