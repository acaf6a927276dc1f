//! Questions of visitors about processes of this node. A debugger DLL may take a minute: they are answered beside the other work.

use super::Event;
use crate::process::{Reading, others_wait_for_ever, read_process};
use crate::wire::message::{Inquiry, ProcessId};
use std::collections::BTreeSet;
use std::io;
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use trace_format::codec;
use trace_format::run::proc;

/// Bytes of an answer in one message.
const PART: usize = 256 << 10;

/// Finds the answer in a thread of its own. An empty one means that the process is none of the job's.
pub(super) fn begin(number: u64, inquiry: Inquiry, known: &BTreeSet<ProcessId>, tell: Sender<Event>) {
    let (Inquiry::Look { process, .. } | Inquiry::Queues { process, .. }) = &inquiry;
    let is_ours = known.contains(process) && proc::lives(process.pid, process.start);
    std::thread::spawn(move || {
        let answer = if is_ours { answer(inquiry) } else { Vec::new() };
        _ = tell.send(Event::Answered(number, answer));
    });
}

fn answer(inquiry: Inquiry) -> Vec<u8> {
    match inquiry {
        Inquiry::Look { process, accounted } => {
            let reading: Reading = read_process(process.pid, process.start);
            let mut bytes = Vec::new();
            let others_wait = others_wait_for_ever(process.pid, &accounted, 0);
            codec::append(&(reading, others_wait), &mut bytes).map(|()| bytes).unwrap_or_default()
        }
        Inquiry::Queues { process, stop, stacks } => {
            let mut command = Command::new("/proc/self/exe");
            command.arg("queues-of").arg(process.pid.to_string());
            command.args(stop.then_some("--stop")).args((!stacks).then_some("--no-stacks"));
            let said = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
            said.map(|said| said.stdout).unwrap_or_default()
        }
    }
}

/// The parts of an answer, each with whether it is the last one.
pub(super) fn parts(bytes: &[u8], mut send: impl FnMut((Vec<u8>, bool)) -> io::Result<()>) -> io::Result<()> {
    let mut rest = bytes;
    loop {
        let (part, behind) = rest.split_at(rest.len().min(PART));
        send((part.to_vec(), behind.is_empty()))?;
        if behind.is_empty() {
            return Ok(());
        }
        rest = behind;
    }
}
