//! The segments of a trace with a limit of size (see `trace_format::file`): a new one begins when the last is full, and the
//! oldest is removed. What objects there are stands at the front of each.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use trace_format::codec;
use trace_format::definition::{Definition, Id, ObjectKind};
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockKind, SEGMENT_HEADER_BYTES, SEGMENTS, SNAPSHOT, segment_header, segment_path,
};
use trace_format::mpi::Kind;
use trace_format::private;
use trace_format::writer::seal;

/// What a definition is of: the object, and whether it is its name.
type Key = (u8, Id, bool);

/// Definitions of the objects that there are, encoded.
#[derive(Default)]
struct Objects(BTreeMap<Key, Vec<u8>>);

pub(crate) struct Ring {
    dir: PathBuf,
    stem: String,
    /// Bytes of a segment.
    most: u64,
    pub(crate) file: File,
    pub(crate) number: u64,
    size: u64,
    objects: Objects,
}

impl Ring {
    /// Begins the first segment of a trace of at most `bytes`.
    pub(crate) fn new(dir: PathBuf, stem: String, bytes: u64) -> io::Result<Ring> {
        let file = begin(&dir, &stem, 1, &[])?;
        let size = SEGMENT_HEADER_BYTES as u64;
        Ok(Ring { dir, stem, most: bytes / SEGMENTS, file, number: 1, size, objects: Objects::default() })
    }

    /// Is there room for a block of so many bytes? One alone always has some.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.size + bytes <= self.most || self.size <= SEGMENT_HEADER_BYTES as u64
    }

    /// A block was written.
    pub(crate) fn grew(&mut self, bytes: u64) {
        self.size += bytes;
    }

    /// Begins the next segment.
    pub(crate) fn next(&mut self) -> io::Result<()> {
        let objects = self.objects.block();
        let file = begin(&self.dir, &self.stem, self.number + 1, &objects)?;
        (self.file, self.number) = (file, self.number + 1);
        self.size = SEGMENT_HEADER_BYTES as u64 + objects.len() as u64;
        Ok(())
    }

    /// Keeps what of these definitions must be repeated.
    pub(crate) fn note(&mut self, definitions: &[Definition]) {
        self.objects.note(definitions);
    }

    /// The object is no more.
    pub(crate) fn forget(&mut self, kind: Kind, id: Id) {
        self.objects.0.remove(&(kind as u8, id, false));
        self.objects.0.remove(&(kind as u8, id, true));
    }
}

impl Objects {
    fn note(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            let Some(key) = key(definition) else { continue };
            let mut bytes = Vec::new();
            if codec::append(definition, &mut bytes).is_ok() {
                self.0.insert(key, bytes);
            }
        }
    }

    /// A block of all of them; those that others are made of come first.
    fn block(&self) -> Vec<u8> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        self.0.values().for_each(|bytes| block.extend_from_slice(bytes));
        seal(&mut block, BlockKind::Definitions, SNAPSHOT, 0);
        block
    }
}

/// Makes the file of a segment, in the place of the oldest one.
fn begin(dir: &Path, stem: &str, number: u64, objects: &[u8]) -> io::Result<File> {
    let mut file = private::make_file(&segment_path(dir, stem, number), OpenOptions::new().append(true))?;
    file.write_all(&[&segment_header(number), objects].concat())?;
    Ok(file)
}

/// Does it go to the segments, and not into the rank's file?
pub(crate) fn is_of_segment(definition: &Definition) -> bool {
    matches!(definition, Definition::Blob { .. } | Definition::Dump { .. }) || key(definition).is_some()
}

/// What is repeated at the front of each segment.
fn key(definition: &Definition) -> Option<Key> {
    let (kind, id, is_name) = match definition {
        Definition::Comm { id, .. } => (Kind::Comm, id, false),
        Definition::CommName { id, .. } => (Kind::Comm, id, true),
        Definition::Group { id, .. } => (Kind::Group, id, false),
        Definition::Datatype { id, .. } => (Kind::Datatype, id, false),
        Definition::TypeName { id, .. } => (Kind::Datatype, id, true),
        Definition::Op { id, .. } => (Kind::Op, id, false),
        Definition::Object { kind, id } | Definition::OnComm { kind, id, .. } => (kind_of(*kind), id, false),
        _ => return None,
    };
    Some((kind as u8, *id, is_name))
}

fn kind_of(kind: ObjectKind) -> Kind {
    match kind {
        ObjectKind::Win => Kind::Win,
        ObjectKind::File => Kind::File,
        ObjectKind::Info => Kind::Info,
        ObjectKind::Errhandler => Kind::Errhandler,
        ObjectKind::Session => Kind::Session,
    }
}
