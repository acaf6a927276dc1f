//! What belongs together: messages and their receives, the calls of collective operations.

mod clusters;
mod collective;
mod misuse;
mod p2p;
mod sums;
mod suspects;
