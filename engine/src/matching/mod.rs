//! What belongs together: messages and their receives, the calls of collective operations.

mod clusters;
mod collective;
mod misuse;
mod p2p;
mod sums;
mod suspects;

pub(crate) use misuse::{Misuse, Misused};
pub(crate) use sums::{Damage, Spoilt, WrongResult};
pub(crate) use suspects::Suspect;
