//! The communicators of a process.

use crate::failure::Failure;
use crate::table::{Tables, is_still};
use crate::target::{Fields, Target};
use mqs::Address;
use queue_table::Communicator;
use std::mem::offset_of;

/// A communicator as it was when the list was made.
#[derive(Debug, Clone)]
pub(crate) struct Comm {
    pub(crate) unique: u64,
    /// The number by which operations name it.
    pub(crate) number: u32,
    pub(crate) rank: i32,
    pub(crate) size: i32,
    pub(crate) name: String,
    group: Group,
}

/// The processes of the ranks of a communicator.
#[derive(Debug, Clone)]
enum Group {
    Regular { first: i32, stride: i32 },
    Listed(Vec<i32>),
}

/// No communicator is believed to be larger than this.
const MAX_SIZE: i32 = 1 << 24;
/// Ranks that are kept of all communicators.
const MAX_RANKS: usize = 1 << 26;

/// All communicators, in the order of their making.
pub(crate) fn read(target: &Target, tables: &Tables) -> Result<Vec<Comm>, Failure> {
    let mut all = Vec::new();
    let mut room = MAX_RANKS;
    tables.communicators.live(target, |at, bytes| {
        if let Some(comm) = one(target, at, bytes, &mut room)? {
            all.push(comm);
        }
        Ok(())
    })?;
    all.sort_by_key(|comm| comm.number);
    Ok(all)
}

/// `None`: it was freed meanwhile.
fn one(target: &Target, at: Address, bytes: &[u8], room: &mut usize) -> Result<Option<Comm>, Failure> {
    let fields = Fields { target, bytes };
    let stamp = fields.u64(offset_of!(Communicator, stamp));
    let size = fields.i32(offset_of!(Communicator, size));
    if !(0..=MAX_SIZE).contains(&size) {
        return Err(Failure::Damaged);
    }
    let group = match fields.u64(offset_of!(Communicator, ranks)) {
        0 => Group::Regular {
            first: fields.i32(offset_of!(Communicator, first)),
            stride: fields.i32(offset_of!(Communicator, stride)),
        },
        ranks => {
            *room = room.checked_sub(size as usize).ok_or(Failure::Damaged)?;
            let listed = listed(target, ranks, size as usize);
            if !is_still(target, at, stamp)? {
                return Ok(None);
            }
            Group::Listed(listed?)
        }
    };
    Ok(Some(Comm {
        unique: fields.u64(offset_of!(Communicator, unique)),
        number: fields.u32(offset_of!(Communicator, number)),
        rank: fields.i32(offset_of!(Communicator, rank)),
        size,
        name: fields.text(offset_of!(Communicator, name)),
        group,
    }))
}

fn listed(target: &Target, at: Address, size: usize) -> Result<Vec<i32>, Failure> {
    let mut bytes = vec![0u8; 4 * size];
    target.fetch(at, &mut bytes)?;
    let fields = Fields { target, bytes: &bytes };
    Ok((0..size).map(|nth| fields.i32(4 * nth)).collect())
}

impl Comm {
    /// The rank in MPI_COMM_WORLD of a rank in the communicator; -1 if it has none.
    pub(crate) fn global(&self, rank: i32) -> i32 {
        if !(0..self.size).contains(&rank) {
            return mqs::codes::INVALID_PROCESS;
        }
        match &self.group {
            Group::Regular { first, stride } => first.wrapping_add(rank.wrapping_mul(*stride)),
            Group::Listed(ranks) => ranks.get(rank as usize).copied().unwrap_or(mqs::codes::INVALID_PROCESS),
        }
    }

    /// The communicator in the form that the debugger reads.
    pub(crate) fn described(&self) -> mqs::Communicator {
        let mut to = mqs::Communicator::EMPTY;
        (to.unique_id, to.local_rank, to.size) = (self.unique, self.rank.into(), self.size.into());
        mqs::objects::write(&mut to.name, &self.name);
        to
    }
}
