//! How processes are looked at: those of this host by the system, others by the agents of their nodes, where a `mpivet run` watches
//! their job.

use super::ask::{self, Answer};
use super::targets::Target;
use agents::process::{Reading, others_wait_for_ever, read_process};
use agents::visit::Visit;
use agents::wire::message::Inquiry;
use debugger::read::Options;
use debugger::snapshot::Snapshot;
use std::cell::RefCell;
use std::path::Path;
use trace_format::codec;

/// See the module.
pub(super) struct Eyes {
    /// The way to the agents, or why there is none.
    far: Result<RefCell<Visit>, String>,
}

impl Eyes {
    /// Eyes for these processes, of the job that records into `dir`.
    pub(super) fn open(targets: &[Target], dir: Option<&Path>) -> Eyes {
        let is_far = targets.iter().any(|target| target.host.is_some());
        let far = match dir.filter(|_| is_far) {
            Some(dir) => Visit::enter(dir).map(RefCell::new).map_err(|e| e.to_string()),
            None => Err("it is not known who watches it".into()),
        };
        Eyes { far }
    }

    fn ask(&self, questions: &[(String, Inquiry)]) -> Vec<Option<Vec<u8>>> {
        match &self.far {
            Ok(visit) if !questions.is_empty() => visit.borrow_mut().ask(questions),
            _ => vec![None; questions.len()],
        }
    }

    /// The queues of each process.
    pub(super) fn queues(&self, targets: &[Target], options: Options) -> Vec<(Target, Answer)> {
        let (near, far): (Vec<&Target>, Vec<&Target>) = targets.iter().partition(|target| target.host.is_none());
        let pids: Vec<i32> = near.iter().map(|target| target.pid).collect();
        let question = |target: &&Target| {
            let inquiry = Inquiry::Queues { process: target.id(), stop: options.stop, stacks: options.stacks };
            Some((target.host.clone()?, inquiry))
        };
        let questions: Vec<_> = far.iter().filter_map(question).collect();
        let answers = self.ask(&questions).into_iter().map(|bytes| self.answer(bytes));
        let near = near.into_iter().zip(ask::all(&pids, options)).map(|(target, (_, answer))| (target.clone(), answer));
        let far = far.into_iter().cloned().zip(answers);
        near.chain(far).map(|(target, answer)| placed(target, answer)).collect()
    }

    fn answer(&self, bytes: Option<Vec<u8>>) -> Answer {
        match (bytes, &self.far) {
            (Some(bytes), _) if bytes.is_empty() => Answer::Failed("it has ended, or is none of the job's".into()),
            (Some(bytes), _) => ask::answer_in(&String::from_utf8_lossy(&bytes))
                .unwrap_or_else(|| Answer::Failed("the debugger DLL has crashed".into())),
            (None, Err(why)) => Answer::Failed(format!("it is on another host, and its agent cannot be asked: {why}")),
            (None, Ok(_)) => Answer::Failed("there is no agent on its host, or it does not answer".into()),
        }
    }

    /// The state of each process.
    pub(super) fn readings(&self, all: &[&Snapshot]) -> Vec<Reading> {
        let question = |s: &&Snapshot| Some((s.host.clone()?, look(s, Vec::new())));
        let mut answers = self.ask(&all.iter().filter_map(question).collect::<Vec<_>>()).into_iter();
        let reading = |s: &&Snapshot| match &s.host {
            None => u32::try_from(s.pid).map_or(Reading::GONE, |pid| read_process(pid, s.start)),
            Some(_) => answers.next().flatten().and_then(|bytes| decoded(&bytes)).map_or(Reading::GONE, |seen| seen.0),
        };
        all.iter().map(reading).collect()
    }

    /// Do its threads but these wait for each other without limit?
    pub(super) fn others_wait(&self, s: &Snapshot, accounted: &[u32]) -> bool {
        match &s.host {
            None => u32::try_from(s.pid).is_ok_and(|pid| others_wait_for_ever(pid, accounted, 0)),
            Some(host) => {
                let answers = self.ask(&[(host.clone(), look(s, accounted.to_vec()))]);
                answers.into_iter().flatten().next().and_then(|bytes| decoded(&bytes)).is_some_and(|seen| seen.1)
            }
        }
    }
}

/// Says in an answer what is not known on the host of the process.
fn placed(target: Target, mut answer: Answer) -> (Target, Answer) {
    if let Answer::Seen(snapshot) = &mut answer {
        snapshot.host.clone_from(&target.host);
        if let Some(world) = &target.world {
            snapshot.world.clone_from(world);
        }
    }
    (target, answer)
}

fn look(s: &Snapshot, accounted: Vec<u32>) -> Inquiry {
    let process = agents::wire::message::ProcessId { pid: s.pid as u32, start: s.start };
    Inquiry::Look { process, accounted }
}

fn decoded(mut bytes: &[u8]) -> Option<(Reading, bool)> {
    codec::take(&mut bytes)?.ok()
}
