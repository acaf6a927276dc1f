//! The recorded calls of one rank, and the values of constants in its trace.

use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use symbols::{Files, Loaders, Modules};
use trace_format::definition::{COMM_SELF, COMM_WORLD, Definition, GROUP_EMPTY, Id, NULL_ID};
use trace_format::finding::Severity;
use trace_format::mpi::predefined::{ERRHANDLERS, INFOS, datatype_id, op_id};
use trace_format::mpi::{Kind, special};
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::{RankEvent, RankReader};

/// The record of one rank.
#[derive(Default)]
pub struct Recorded {
    /// In the order in which they were made.
    pub(super) calls: Vec<Call>,
    /// Findings of checks in the process: the programs are correct.
    findings: Vec<String>,
    stacks: BTreeMap<Id, Vec<u64>>,
    modules: Modules,
    files: Files,
    loaders: Loaders,
}

impl Recorded {
    /// Reads the trace of a rank that has ended.
    pub fn read(dir: &Path, rank: i32) -> Result<Recorded> {
        let mut recorded = Recorded::default();
        let mut reader = RankReader::open(dir, rank)?;
        reader.writer_is_gone();
        while reader.poll(64, &mut |event| recorded.add(event))? {}
        ensure!(reader.defects.is_empty(), "{:?}", reader.defects);
        ensure!(recorded.findings.is_empty(), "findings in a correct program: {}", recorded.findings.join("; "));
        Ok(recorded)
    }

    pub(super) fn add(&mut self, event: RankEvent) {
        match event {
            RankEvent::Definition(Definition::Module(module)) => self.modules.add(&module, &mut self.files),
            RankEvent::Definition(Definition::Stack { id, frames }) => _ = self.stacks.insert(id, frames),
            RankEvent::Call(call) => self.calls.push(call),
            // Calling every function includes those that are warned of, such as MPI_Cancel.
            RankEvent::System { event: SystemEvent::Found(found), .. }
                if found.check().is_none_or(|c| c.severity == Severity::Error) =>
            {
                self.findings.push(format!("{} {}", found.code, found.message));
            }
            RankEvent::Return { thread, index, class, polls, outs, .. } => {
                let open = self.calls.iter_mut().rev().find(|c| c.thread == thread && c.index == index);
                if let Some(call) = open {
                    (call.outcome, call.outs) = (Outcome::Returned(class), outs);
                    call.polls = call.polls.max(polls);
                }
            }
            _ => {}
        }
    }

    /// The place where the program made a call: its innermost frame outside of the MPI library and its bindings.
    pub(super) fn place(&mut self, site: Id) -> String {
        for address in self.stacks.get(&site).into_iter().flatten() {
            let call = address.saturating_sub(1);
            let places = self.loaders.locate(&self.modules.frame_then(call, usize::MAX));
            let Some(place) = places.first() else { continue };
            let module = place.module.rsplit('/').next().unwrap_or_default();
            if !module.starts_with("libmpi") && !module.starts_with("libopen-") {
                let file = place.file.rsplit('/').next().unwrap_or_default();
                return format!("{file}:{}", place.line);
            }
        }
        "nowhere".to_owned()
    }
}

/// The value of a constant in a trace, where the trace does not have the library's own.
pub fn neutral(kind: Kind, name: &str) -> Option<i64> {
    let place = |list: &[&str]| list.iter().position(|n| *n == name).map(|i| i as i64 + 1);
    if kind.is_handle() && name.ends_with("_NULL") {
        return Some(NULL_ID.into());
    }
    match (kind, name) {
        (Kind::Rank, "MPI_ANY_SOURCE") => Some(special::ANY_SOURCE.into()),
        (Kind::Rank | Kind::Root, "MPI_PROC_NULL") => Some(special::PROC_NULL.into()),
        (Kind::Rank, "MPI_UNDEFINED") => Some(special::UNDEFINED.into()),
        (Kind::Root, "MPI_ROOT") => Some(special::ROOT.into()),
        (Kind::Tag, "MPI_ANY_TAG") => Some(special::ANY_TAG.into()),
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf, "MPI_IN_PLACE") => Some(special::IN_PLACE),
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf, "MPI_BOTTOM") => Some(special::BOTTOM),
        (Kind::Comm, "MPI_COMM_WORLD") => Some(COMM_WORLD.into()),
        (Kind::Comm, "MPI_COMM_SELF") => Some(COMM_SELF.into()),
        (Kind::Group, "MPI_GROUP_EMPTY") => Some(GROUP_EMPTY.into()),
        (Kind::Message, "MPI_MESSAGE_NO_PROC") => Some(special::MESSAGE_NO_PROC),
        (Kind::Datatype, name) => datatype_id(name).map(i64::from),
        (Kind::Op, name) => op_id(name).map(i64::from),
        (Kind::Errhandler, _) => place(ERRHANDLERS),
        (Kind::Info, _) => place(INFOS),
        _ => None,
    }
}
