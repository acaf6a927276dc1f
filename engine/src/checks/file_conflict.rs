//! `file-conflict`: see `trace_format::catalogue::FILE_CONFLICT`.

use crate::model::Model;
use crate::state::{Draft, FileConflict, FilePiece, Findings, Site};
use trace_format::catalogue::{CheckInfo, FILE_CONFLICT};

pub(super) static CHECK: &CheckInfo = &FILE_CONFLICT;

pub(super) fn rule(conflict: &FileConflict, model: &Model, findings: &mut Findings) {
    let FileConflict { first, second, byte } = conflict;
    findings.add_lazy(model, CHECK, &[&first.call, &second.call], 1, || {
        let said = |piece: &FilePiece| format!("{} of rank {}", piece.call.name(), piece.call.rank);
        let message = format!(
            "{} {} byte {byte} of the file, which {} {}, and no MPI_File_sync of both is between the two",
            said(second),
            verb(second),
            said(first),
            verb(first)
        );
        let site = |piece: &FilePiece| Site::new(&piece.call, format!("{} it", verb(piece)));
        Draft::new(CHECK, message, vec![site(second), site(first)])
    });
}

fn verb(piece: &FilePiece) -> &'static str {
    if piece.writes { "writes" } else { "reads" }
}
