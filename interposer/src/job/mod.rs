//! The job that this process is part of: how it was started, what the user asked for, who else is in it.

pub(crate) mod config;
pub(crate) mod each;
pub(crate) mod follower;
pub(crate) mod launch;
pub(crate) mod place;
