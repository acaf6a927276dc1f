//! Somebody else than `mpivet run` who asks the agents of a running job, by way of it: the directory of the traces tells its owner
//! where it listens, and the secret.

use crate::node::connect;
use crate::wire::channel::{Receiver, Sender};
use crate::wire::message::{FromAgent, Inquiry, ToAgent};
use std::collections::HashMap;
use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};
use trace_format::run::agent::Entrance;

/// Time for all answers. Debugger DLLs get a minute.
const PATIENCE: Duration = Duration::from_secs(90);

/// A connection with `mpivet run`.
pub struct Visit {
    receiver: Receiver<TcpStream>,
    sender: Sender<TcpStream>,
    stream: TcpStream,
    asked: u64,
}

impl Visit {
    /// Visits the `mpivet run` whose job records into this directory. Fails if there is none, or it cannot be reached.
    pub fn enter(dir: &Path) -> io::Result<Visit> {
        let none = || io::Error::new(io::ErrorKind::NotFound, "no mpivet run listens for it");
        let Entrance { hub, token } = Entrance::read(dir).ok_or_else(none)?;
        let token = token.parse().map_err(|()| none())?;
        let (stream, (receiver, mut sender)) = connect(&hub, &token)?;
        sender.send(&FromAgent::Visit)?;
        Ok(Visit { receiver, sender, stream, asked: 0 })
    }

    /// Has agents answer; each question has its host. The answers are in the order of the questions. `None`: there is no such
    /// agent, or it says nothing.
    pub fn ask(&mut self, questions: &[(String, Inquiry)]) -> Vec<Option<Vec<u8>>> {
        let first = self.asked;
        let mut open: HashMap<u64, (usize, Vec<u8>)> = HashMap::new();
        let mut answers = vec![None; questions.len()];
        for (i, (host, inquiry)) in questions.iter().enumerate() {
            let message = FromAgent::Ask { number: self.asked, host: host.clone(), inquiry: inquiry.clone() };
            if self.sender.send(&message).is_ok() {
                open.insert(self.asked, (i, Vec::new()));
            }
            self.asked += 1;
        }
        let until = Instant::now() + PATIENCE;
        while !open.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
                break;
            }
            let Ok(message) = self.receiver.receive() else { break };
            match message {
                ToAgent::Told { number, .. } if number < first => {}
                ToAgent::Told { number, part: None } => _ = open.remove(&number),
                ToAgent::Told { number, part: Some((bytes, is_last)) } => {
                    let Some((_, all)) = open.get_mut(&number) else { continue };
                    all.extend(bytes);
                    if is_last && let Some((i, all)) = open.remove(&number) {
                        answers[i] = Some(all);
                    }
                }
                _ => {}
            }
        }
        answers
    }
}
