//! The files that a rank has open, and what it does wrong with them.

use super::call::Origin;
use super::site::Site;
use super::turns::LastUse;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, IGNORED_IO_ERROR};
use trace_format::definition::Id;

/// So many places are told apart for one rank.
const MOST_FAULTS: usize = 1000;

/// A file that a rank has opened.
pub(crate) struct OpenFile {
    pub(crate) amode: i64,
    pub(crate) opened: Rc<Origin>,
    /// The call that began a split collective which has not ended.
    pub(crate) split: Option<Rc<Origin>>,
    /// A split collective has failed to begin or to end, or calls of two threads overlapped: which one is open is not known.
    pub(crate) unclear: bool,
    /// The last access that failed.
    pub(crate) failed: Option<Rc<Origin>>,
    pub(crate) last_use: LastUse,
}

/// A mistake with a file.
pub(crate) struct FileFault {
    pub(crate) check: &'static CheckInfo,
    pub(crate) message: String,
    /// The wrong call is the first of them.
    pub(crate) sites: Vec<Site>,
    pub(crate) count: u64,
}

/// The files of a rank.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) open: FxHashMap<Id, OpenFile>,
    /// The last MPI_File_open, if it failed and the program has not asked for the meaning of the error.
    pub(crate) not_opened: Option<Rc<Origin>>,
    /// The program has chosen an error handler for a file.
    pub(crate) has_handler: bool,
    pub(crate) faults: Vec<FileFault>,
    /// Calls that name a file, or the meaning of an error.
    pub(crate) calls: u64,
}

impl Files {
    /// Notes a mistake, or counts it with the one of the same places.
    pub(crate) fn note(&mut self, fault: FileFault) {
        let place = |fault: &FileFault| fault.sites.first().and_then(|s| s.call.as_ref()).map(|c| (c.func, c.site));
        let is_like = |other: &&mut FileFault| {
            (other.check.code, &other.message, place(other)) == (fault.check.code, &fault.message, place(&fault))
        };
        if let Some(known) = self.faults.iter_mut().find(is_like) {
            known.count += 1;
        } else if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    /// The program has asked for the meaning of an error: it looks at them.
    pub(crate) fn asked(&mut self) {
        self.not_opened = None;
        self.open.values_mut().for_each(|file| file.failed = None);
        self.faults.retain(|fault| fault.check != &IGNORED_IO_ERROR);
    }

    /// The calls that may still be named.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let open = self.open.values().flat_map(|f| [Some(&f.opened), f.split.as_ref(), f.failed.as_ref()]).flatten();
        let sites = self.faults.iter().flat_map(|fault| &fault.sites).filter_map(|site| site.call.as_ref());
        open.chain(&self.not_opened).chain(sites)
    }
}
