//! `file-conflict`: see `trace_format::catalogue::FILE_CONFLICT`.

use crate::model::Model;
use crate::state::{Draft, FileConflict, FilePiece, Findings, Site};
use trace_format::catalogue::{CheckInfo, FILE_CONFLICT};
use trace_format::finding::Severity;

pub(super) static CHECK: &CheckInfo = &FILE_CONFLICT;

pub(super) fn rule(conflict: &FileConflict, model: &Model, findings: &mut Findings) {
    let FileConflict { first, second, byte } = conflict;
    findings.add_lazy(model, CHECK, &[&first.call, &second.call], 1, || {
        let said = |piece: &FilePiece| format!("{} of rank {}", piece.call.name(), piece.call.rank);
        let message = |between: &str| {
            let (late, early) = (verb(second), verb(first));
            let [second, first] = [said(second), said(first)];
            format!("{second} {late} byte {byte} of the file, which {first} {early}, and {between} is between the two")
        };
        let site = |piece: &FilePiece| Site::new(&piece.call, format!("{} it", verb(piece)));
        let sites = vec![site(second), site(first)];
        if !conflict.is_half() {
            return Draft::new(CHECK, message("no MPI_File_sync of both"), sites);
        }
        Draft::new(CHECK, message("no more than one MPI_File_sync"), sites).severity(Severity::Warning).note(
            "MPI_File_sync need not wait for other ranks: what they access behind it may come first. A barrier, and another \
             MPI_File_sync behind it, are missing",
        )
    });
}

fn verb(piece: &FilePiece) -> &'static str {
    if piece.writes { "writes" } else { "reads" }
}
