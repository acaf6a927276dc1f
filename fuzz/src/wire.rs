//! Bytes that come over the network: from a stranger, who gets no further than the handshake, and from an agent that lies.

use agents::hub::{Mirror, Owners};
use agents::wire::channel::open;
use agents::wire::handshake::{of_agent, of_hub};
use agents::wire::message::{FromAgent, ToAgent};
use agents::wire::token::Token;

/// The first byte says who speaks.
pub fn target(data: &[u8]) {
    let Some((who, rest)) = data.split_first() else { return };
    let token: Token = "5a".repeat(32).parse().expect("64 digits");
    match who % 3 {
        0 => assert!(of_hub(&token, rest, Vec::new()).is_err(), "a stranger was taken for an agent"),
        1 => assert!(of_agent(&token, rest, Vec::new()).is_err(), "a stranger was taken for mpivet run"),
        _ => lie(rest),
    }
}

/// Messages one behind the other, each with a length (u16).
fn lie(mut rest: &[u8]) {
    _ = open::<ToAgent>(rest);
    let outside = tempfile::tempdir().expect("a directory");
    let dir = outside.path().join("traces");
    std::fs::create_dir(&dir).expect("a directory");
    let (mut mirror, mut owners) = (Mirror::new(&dir, "host"), Owners::default());
    while let Some((length, behind)) = rest.split_first_chunk::<2>() {
        let body = &behind[..behind.len().min(u16::from_le_bytes(*length).into())];
        rest = &behind[body.len()..];
        if let Ok(message) = open::<FromAgent>(body) {
            // A sparse file of any length is no lie that costs anything.
            _ = mirror.add(&message, &mut owners);
        }
    }
    let beside = std::fs::read_dir(outside.path()).expect("the directory").count();
    assert_eq!(beside, 1, "a file was made outside of the directory of traces");
}
