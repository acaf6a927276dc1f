//! The connection of an agent with `mpivet run`.
//!
//! Both prove that they know the secret of the run ([`handshake`]); nobody else gets more than a random number. From there on
//! each frame carries a mark that only who knows the secret can make ([`channel`]).

pub mod channel;
pub mod handshake;
pub mod message;
pub mod token;

use std::io;

/// The other side says what nobody says who knows the secret, or what no version of mpivet says.
pub(crate) fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
