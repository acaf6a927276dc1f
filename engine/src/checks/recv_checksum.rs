//! `recv-checksum`: see `trace_format::catalogue::RECV_CHECKSUM`.

use crate::model::Model;
use crate::state::{Damage, Draft, Findings, Site, plural};
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, RECV_CHECKSUM};

pub(super) static CHECK: &CheckInfo = &RECV_CHECKSUM;

pub(super) fn rule(d: &Damage, model: &Model, findings: &mut Findings) {
    findings.add_lazy(model, CHECK, &[&d.send, &d.recv], d.count, || {
        let (from, to) = (d.send.rank, d.recv.rank);
        let bytes = plural(d.bytes, "byte");
        let message =
            format!("the {bytes} that rank {to} received from rank {from} are not those that rank {from} sent");
        let mut sites = vec![Site::new(&d.recv, "the receive"), Site::new(&d.send, "the send")];
        if !Rc::ptr_eq(&d.by, &d.recv) {
            sites.insert(1, Site::new(&d.by, "completes the receive"));
        }
        Draft::new(CHECK, message, sites)
    });
}
