//! Each side proves that it knows the secret, without saying it:
//!
//! ```text
//! agent:  magic and version, a random number
//! hub:    a random number, the mark of both
//! agent:  another mark of both
//! ```
//!
//! The agent leaves before it has said anything of the job if the mark is wrong. The hub says nothing to whoever does not begin
//! with the magic, and reads no frame before the last mark was right.

use super::channel::{Receiver, Sender};
use super::refused;
use super::token::{BYTES, Token, random};
use std::io::{self, Read, Write};

/// The first bytes of a connection: agent and hub are of the same version, since one file has both.
const MAGIC: &[u8; 16] = b"mpivet agent 1\r\n";

const OF_HUB: &[u8] = b"hub";
const OF_AGENT: &[u8] = b"agent";

/// The two directions of a connection on which both know each other.
pub type Connection<R, W> = (Receiver<R>, Sender<W>);

fn connection<R: Read, W: Write>(token: &Token, both: &[&[u8]], read: R, write: W, is_agent: bool) -> Connection<R, W> {
    let key = |from: &[u8]| token.key(&[b"frames", from, both[0], both[1]]);
    let (own, others) = if is_agent { (OF_AGENT, OF_HUB) } else { (OF_HUB, OF_AGENT) };
    (Receiver::new(read, key(others)), Sender::new(write, key(own)))
}

/// The agent's side. Fails if the other side does not know the secret, or the connection ends.
pub fn of_agent<R: Read, W: Write>(token: &Token, mut read: R, mut write: W) -> io::Result<Connection<R, W>> {
    let mine = random()?;
    write.write_all(&[&MAGIC[..], &mine].concat())?;
    write.flush()?;
    let mut answer = [0; 2 * BYTES];
    read.read_exact(&mut answer)?;
    let (theirs, mark) = answer.split_at(BYTES);
    if !token.is_mark(&[OF_HUB, &mine, theirs], mark) {
        return Err(refused("it does not know the secret of this run"));
    }
    write.write_all(&token.mark(&[OF_AGENT, &mine, theirs]))?;
    write.flush()?;
    Ok(connection(token, &[&mine, theirs], read, write, true))
}

/// The hub's side. Fails if the other side does not know the secret, or the connection ends.
pub fn of_hub<R: Read, W: Write>(token: &Token, mut read: R, mut write: W) -> io::Result<Connection<R, W>> {
    let mut hello = [0; MAGIC.len() + BYTES];
    read.read_exact(&mut hello)?;
    let (magic, theirs) = hello.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(refused("it is no agent of this version of mpivet"));
    }
    let mine = random()?;
    write.write_all(&[mine, token.mark(&[OF_HUB, theirs, &mine])].concat())?;
    write.flush()?;
    let mut mark = [0; BYTES];
    read.read_exact(&mut mark)?;
    if !token.is_mark(&[OF_AGENT, theirs, &mine], &mark) {
        return Err(refused("it does not know the secret of this run"));
    }
    Ok(connection(token, &[theirs, &mine], read, write, false))
}
