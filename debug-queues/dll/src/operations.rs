//! The operations of a process that have begun and not ended.

use crate::communicators::Comm;
use crate::failure::Failure;
use crate::table::{Table, Tables};
use crate::target::{Fields, Target};
use mqs::PendingOperation;
use mqs::codes::status;
use queue_table::{ANY_SOURCE, Name, Operation, flag, kind};
use std::collections::HashMap;
use std::mem::offset_of;

/// An operation as it was at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Op {
    order: u64,
    communicator: u32,
    kind: u8,
    flags: u8,
    peer: i32,
    tag: i32,
    buffer: u64,
    count: i64,
    element: u32,
    datatype: u32,
    function: u16,
    site: u32,
    made: u32,
}

/// The sends, or else the receives and probes, on a communicator, in the order in which they are matched.
pub(crate) fn read(target: &Target, tables: &Tables, comm: &Comm, sends: bool) -> Result<Vec<Op>, Failure> {
    let mut all = Vec::new();
    tables.operations.live(target, |_, bytes| {
        let op = one(&Fields { target, bytes });
        if op.communicator == comm.number && (op.kind == kind::SEND) == sends {
            all.push(op);
        }
        Ok(())
    })?;
    all.sort_by_key(|op| op.order);
    Ok(all)
}

fn one(fields: &Fields) -> Op {
    Op {
        order: fields.u64(offset_of!(Operation, order)),
        communicator: fields.u32(offset_of!(Operation, communicator)),
        kind: fields.u8(offset_of!(Operation, kind)),
        flags: fields.u8(offset_of!(Operation, flags)),
        peer: fields.i32(offset_of!(Operation, peer)),
        tag: fields.i32(offset_of!(Operation, tag)),
        buffer: fields.u64(offset_of!(Operation, buffer)),
        count: fields.u64(offset_of!(Operation, count)).cast_signed(),
        element: fields.u32(offset_of!(Operation, element)),
        datatype: fields.u32(offset_of!(Operation, datatype)),
        function: fields.u16(offset_of!(Operation, function)),
        site: fields.u32(offset_of!(Operation, site)),
        made: fields.u32(offset_of!(Operation, made)),
    }
}

impl Op {
    fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The operation in the form that the debugger reads.
    pub(crate) fn described(
        &self,
        comm: &Comm,
        names: &mut Names,
        target: &Target,
        tables: &Tables,
    ) -> PendingOperation {
        let mut to = PendingOperation::EMPTY;
        let global = if self.peer == ANY_SOURCE { ANY_SOURCE } else { comm.global(self.peer) };
        let length = self.count.saturating_mul(self.element.into());
        to.status = if self.is(flag::COMPLETE) { status::COMPLETE } else { status::PENDING };
        (to.desired_local_rank, to.desired_global_rank) = (self.peer.into(), global.into());
        to.tag_wild = self.is(flag::ANY_TAG).into();
        (to.desired_tag, to.desired_length, to.buffer) = (self.tag.into(), length, self.buffer);
        // The peer of a send is known completely, the peer of a receive only as far as the receive names it.
        (to.actual_local_rank, to.actual_global_rank) = (to.desired_local_rank, to.desired_global_rank);
        (to.actual_tag, to.actual_length) = (to.desired_tag, to.desired_length);
        for (line, text) in to.extra_text.iter_mut().zip(self.lines(names, target, tables)) {
            mqs::objects::write(line, &text);
        }
        to
    }

    /// Further lines for people.
    fn lines(&self, names: &mut Names, target: &Target, tables: &Tables) -> Vec<String> {
        let function = text(&tables.functions, target, self.function.into());
        let how = match (self.is(flag::BLOCKING), self.is(flag::PERSISTENT)) {
            (true, _) => ", which has not returned",
            (_, true) => ", started again",
            _ => "",
        };
        let how = if self.is(flag::COMPLETE) { ", known to be complete" } else { how };
        let mut lines = vec![format!("{}{how}", function.as_deref().unwrap_or("an unknown function"))];
        let site = |number: u32| text(&tables.sites, target, number.into());
        match (site(self.made), site(self.site)) {
            (Some(made), Some(started)) => lines.extend([format!("made at {made}"), format!("started at {started}")]),
            (_, at) => lines.extend(at.map(|at| format!("at {at}"))),
        }
        if self.kind != kind::PROBE {
            let datatype = names.of(self.datatype, target, tables);
            lines.push(format!("{} x {datatype}", self.count));
        }
        lines
    }
}

/// A text of a table of texts; `None` if there is none.
fn text(table: &Table, target: &Target, index: u64) -> Option<String> {
    let bytes = table.constant(target, index)?;
    Some(Fields { target, bytes: &bytes }.text(0)).filter(|text| !text.is_empty())
}

/// Names of datatypes, read when the first is asked for.
#[derive(Debug, Default)]
pub(crate) struct Names(Option<HashMap<u32, String>>);

impl Names {
    fn of(&mut self, number: u32, target: &Target, tables: &Tables) -> String {
        let known = self.0.get_or_insert_with(|| {
            let mut known = HashMap::new();
            // Without names the operations are shown all the same.
            _ = tables.datatypes.live(target, |_, bytes| {
                let fields = Fields { target, bytes };
                known.insert(fields.u32(offset_of!(Name, number)), fields.text(offset_of!(Name, text)));
                Ok(())
            });
            known
        });
        known.get(&number).cloned().unwrap_or_else(|| "a derived datatype".to_owned())
    }
}
