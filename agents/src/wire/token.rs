//! The secret of a run: 256 random bits, which reach the agents by the environment of the job. Nobody else on the network has
//! them, and no other user of the nodes may read them. They never stand on a command line.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::str::FromStr;

/// Bytes of a secret, of a random number and of a whole mark.
pub const BYTES: usize = 32;

/// The secret of a run, or a key that was made of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; BYTES]);

/// As many random bytes as a secret has. Fails where the system has none.
pub fn random() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl Token {
    /// A new secret. Fails where the system has no random numbers.
    pub fn new() -> io::Result<Token> {
        Ok(Token(random()?))
    }

    fn keyed(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        // A key of any length will do.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!("HMAC takes any key"));
        for part in parts {
            // Where one part ends is a part of what is marked.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// The mark of these parts (HMAC-SHA-256).
    pub fn mark(&self, parts: &[&[u8]]) -> [u8; BYTES] {
        self.keyed(parts).finalize().into_bytes().into()
    }

    /// Is this the mark of these parts, or the beginning of it? It takes the same time for each wrong one of this length.
    pub fn is_mark(&self, parts: &[&[u8]], mark: &[u8]) -> bool {
        self.keyed(parts).verify_truncated_left(mark).is_ok()
    }

    /// A key for one purpose.
    pub(super) fn key(&self, parts: &[&[u8]]) -> Token {
        Token(self.mark(parts))
    }
}

/// It is no text for a terminal or a report.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// As the environment has it: 64 digits.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl FromStr for Token {
    type Err = ();

    fn from_str(text: &str) -> Result<Token, ()> {
        let digits = text.as_bytes();
        if digits.len() != 2 * BYTES {
            return Err(());
        }
        let digit = |d: u8| (d as char).to_digit(16).map(|d| d as u8);
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = digit(pair[0]).ok_or(())? << 4 | digit(pair[1]).ok_or(())?;
        }
        Ok(Token(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_survives_the_environment_and_is_never_shown() {
        let token = Token::new().unwrap();
        assert_eq!(token.to_hex().parse::<Token>().unwrap(), token);
        assert_ne!(Token::new().unwrap(), token);
        assert_eq!(format!("{token:?}"), "Token");
        for wrong in ["", "00", &"g".repeat(64), &"0".repeat(65)] {
            assert!(wrong.parse::<Token>().is_err());
        }
    }

    #[test]
    fn a_mark_is_that_of_its_parts_and_its_key() {
        let (token, other) = (Token::new().unwrap(), Token::new().unwrap());
        let mark = token.mark(&[b"ab", b"c"]);
        assert!(token.is_mark(&[b"ab", b"c"], &mark) && token.is_mark(&[b"ab", b"c"], &mark[..16]));
        assert!(!token.is_mark(&[b"a", b"bc"], &mark) && !other.is_mark(&[b"ab", b"c"], &mark));
        assert!(!token.is_mark(&[b"ab", b"c"], &[0; 16]) && !token.is_mark(&[b"ab", b"c"], &[]));
    }
}
