//! Checksums of what was sent and received, at the operations that they belong to.

use super::call::Origin;
use std::rc::Rc;
use trace_format::system::Checksum;

/// The sum of one half of a message.
#[derive(Debug)]
pub(crate) struct Sum {
    pub(crate) sum: Checksum,
    /// The call in which it was taken.
    pub(crate) by: Rc<Origin>,
}

impl Sum {
    pub(crate) fn by(&self) -> &Rc<Origin> {
        &self.by
    }
}

/// The sums of a process's part of a collective operation, by partners.
#[derive(Debug, Default)]
pub(crate) struct PartSums {
    pub(crate) sent: Vec<Checksum>,
    pub(crate) received: Vec<Checksum>,
    /// The call that completed it.
    pub(crate) by: Option<Rc<Origin>>,
}

impl PartSums {
    pub(crate) fn by(&self) -> Option<&Rc<Origin>> {
        self.by.as_ref()
    }
}
