//! Matching: messages with their receives, the calls of one collective operation with each other.

mod clusters;
mod collective;
mod misuse;
mod p2p;
mod sums;
mod suspects;
