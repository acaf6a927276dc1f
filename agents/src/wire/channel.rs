//! Messages over a stream, each in a frame with a mark of its own: what somebody puts into the connection, leaves out, repeats
//! or alters ends it.
//!
//! A frame is the length of its body (u32), the body, and the first 16 bytes of the mark of its number and its body. A body is a
//! byte that says whether the rest is packed (LZ4), and the message.

use super::refused;
use super::token::Token;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};
use trace_format::codec;

/// No message is longer; whoever has more to say says it in several.
pub const MAX_MESSAGE: usize = 1 << 20;
/// No body is longer: a message that cannot be packed gets a little longer.
const MAX_BODY: usize = MAX_MESSAGE + (MAX_MESSAGE >> 7) + 64;
const MARK_BYTES: usize = 16;
/// Shorter messages are not packed.
const WORTH_PACKING: usize = 256;

const PLAIN: u8 = 0;
const PACKED: u8 = 1;

/// Sends messages.
#[derive(Debug)]
pub struct Sender<W> {
    stream: W,
    key: Token,
    number: u64,
    sent: u64,
}

/// Receives messages.
#[derive(Debug)]
pub struct Receiver<R> {
    stream: R,
    key: Token,
    number: u64,
    received: u64,
}

impl<W: Write> Sender<W> {
    pub(super) fn new(stream: W, key: Token) -> Sender<W> {
        Sender { stream, key, number: 0, sent: 0 }
    }

    /// Sends a message. Fails if it is longer than [`MAX_MESSAGE`], or the connection has ended.
    pub fn send<T: Serialize>(&mut self, message: &T) -> io::Result<()> {
        let mut plain = vec![PLAIN];
        codec::append(message, &mut plain).map_err(|e| refused(&e.to_string()))?;
        if plain.len() > MAX_MESSAGE {
            return Err(refused("a message is too long"));
        }
        let body = match plain.len() > WORTH_PACKING {
            true => {
                let packed = lz4_flex::block::compress_prepend_size(&plain[1..]);
                if packed.len() < plain.len() - 1 { [&[PACKED], &packed[..]].concat() } else { plain }
            }
            false => plain,
        };
        let mark = self.key.mark(&[&self.number.to_le_bytes(), &body]);
        self.number += 1;
        let frame = [&(body.len() as u32).to_le_bytes(), &body[..], &mark[..MARK_BYTES]].concat();
        self.sent += frame.len() as u64;
        self.stream.write_all(&frame)?;
        self.stream.flush()
    }

    /// Goes on over another stream.
    pub fn over<V: Write>(self, stream: impl FnOnce(W) -> V) -> Sender<V> {
        Sender { stream: stream(self.stream), key: self.key, number: self.number, sent: self.sent }
    }

    /// Bytes that were sent in frames.
    pub fn sent(&self) -> u64 {
        self.sent
    }
}

impl<R: Read> Receiver<R> {
    pub(super) fn new(stream: R, key: Token) -> Receiver<R> {
        Receiver { stream, key, number: 0, received: 0 }
    }

    /// Waits for the next message. Fails at the end of the connection, or if it is not from who knows the secret.
    pub fn receive<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length == 0 || length > MAX_BODY {
            return Err(refused("a frame has a length that no frame has"));
        }
        let mut body = vec![0; length];
        let mut mark = [0; MARK_BYTES];
        self.stream.read_exact(&mut body)?;
        self.stream.read_exact(&mut mark)?;
        if !self.key.is_mark(&[&self.number.to_le_bytes(), &body], &mark) {
            return Err(refused("a frame has a wrong mark"));
        }
        self.number += 1;
        self.received += (length + 4 + MARK_BYTES) as u64;
        open(&body)
    }

    /// Bytes that were received in frames.
    pub fn received(&self) -> u64 {
        self.received
    }
}

/// The message in a body. Fails for bytes that are none.
pub fn open<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    let unpacked;
    let mut message = match body.split_first() {
        Some((&PLAIN, rest)) => rest,
        Some((&PACKED, rest)) => {
            let size = rest.first_chunk().map_or(0, |size| u32::from_le_bytes(*size) as usize);
            if size > MAX_MESSAGE {
                return Err(refused("a message is too long"));
            }
            unpacked = lz4_flex::block::decompress_size_prepended(rest).map_err(|e| refused(&e.to_string()))?;
            &unpacked[..]
        }
        _ => return Err(refused("a body has an unknown form")),
    };
    match codec::take(&mut message) {
        Some(Ok(value)) if message.is_empty() => Ok(value),
        Some(Err(e)) => Err(refused(&e.to_string())),
        _ => Err(refused("a frame holds no message, or more than one")),
    }
}
