//! The tables in a process: bounded, checked, and read in such a way that entries which change meanwhile are noticed.

use crate::failure::Failure;
use crate::target::{Fields, Target};
use mqs::Address;
use queue_table::{Communicator, Header, MAX_PAGES, Name, Operation, Pages, Text, place_of, stamp};
use std::mem::offset_of;

/// A table that grows by pages.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    entry_bytes: u64,
    first: u32,
    used: u64,
    pages: [Address; MAX_PAGES],
}

/// All tables of a process as they are now.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    /// One of [`queue_table::state`].
    pub(crate) state: u32,
    pub(crate) operations: Table,
    pub(crate) communicators: Table,
    pub(crate) functions: Table,
    pub(crate) datatypes: Table,
    pub(crate) sites: Table,
}

/// No table is believed to have more entries than this.
const MAX_ENTRIES: u64 = 1 << 20;
/// An entry that changes at every look is passed over after so many looks: it is no longer the same entry anyway.
const LOOKS: usize = 64;

impl Tables {
    /// Reads the header.
    pub(crate) fn read(target: &Target, at: Address) -> Result<Tables, Failure> {
        let mut bytes = [0u8; size_of::<Header>()];
        // All versions have these fields, in case that this header is smaller.
        let (start, _) = bytes.split_at_mut(16);
        target.fetch(at, start)?;
        let fields = Fields { target, bytes: start };
        if fields.u64(offset_of!(Header, magic)) != queue_table::MAGIC {
            return Err(Failure::NoTable);
        }
        let version = fields.u32(offset_of!(Header, version));
        if version != queue_table::VERSION || fields.u32(offset_of!(Header, bytes)) as usize != size_of::<Header>() {
            return Err(Failure::OtherVersion);
        }
        target.fetch(at, &mut bytes)?;
        let fields = Fields { target, bytes: &bytes };
        Ok(Tables {
            state: fields.u32(offset_of!(Header, state)),
            operations: Table::of::<Operation>(&fields, offset_of!(Header, operations))?,
            communicators: Table::of::<Communicator>(&fields, offset_of!(Header, communicators))?,
            functions: Table::of::<Text>(&fields, offset_of!(Header, functions))?,
            datatypes: Table::of::<Name>(&fields, offset_of!(Header, datatypes))?,
            sites: Table::of::<Text>(&fields, offset_of!(Header, sites))?,
        })
    }
}

impl Table {
    fn of<Entry>(fields: &Fields, offset: usize) -> Result<Table, Failure> {
        let first = fields.u32(offset + offset_of!(Pages, first));
        let entry_bytes = fields.u32(offset + offset_of!(Pages, entry_bytes)) as usize;
        if !first.is_power_of_two() || entry_bytes != size_of::<Entry>() {
            return Err(Failure::Damaged);
        }
        let used = fields.u64(offset + offset_of!(Pages, used)).min(MAX_ENTRIES);
        let page = |k: usize| fields.u64(offset + offset_of!(Pages, pages) + 8 * k);
        Ok(Table { entry_bytes: entry_bytes as u64, first, used, pages: std::array::from_fn(page) })
    }

    /// The address of an entry; `None` if there is no such entry.
    fn address(&self, index: u64) -> Option<Address> {
        let (page, place) = place_of(index, self.first);
        let page = self.pages.get(page).copied().filter(|page| *page != 0 && index < self.used)?;
        page.checked_add(place.checked_mul(self.entry_bytes)?)
    }

    /// Copies an entry that does not change.
    pub(crate) fn constant(&self, target: &Target, index: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0u8; self.entry_bytes as usize];
        target.fetch(self.address(index)?, &mut bytes).ok()?;
        Some(bytes)
    }

    /// Hands out the entries with a stamp that are in use: their addresses, and their bytes as they were at one moment.
    pub(crate) fn live(
        &self,
        target: &Target,
        mut each: impl FnMut(Address, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let entry = self.entry_bytes as usize;
        let mut bytes = Vec::new();
        let mut whole = vec![0u8; entry];
        let mut index = 0;
        while index < self.used {
            let (page, place) = place_of(index, self.first);
            let left_in_page = (u64::from(self.first) << page.min(MAX_PAGES)).saturating_sub(place);
            let count = left_in_page.min(self.used - index).clamp(1, 1 + (1 << 16) / self.entry_bytes);
            let Some(start) = self.address(index) else { return Err(Failure::Damaged) };
            bytes.resize(entry * count as usize, 0);
            target.fetch(start, &mut bytes)?;
            for (nth, rough) in bytes.chunks_exact(entry).enumerate() {
                let stamp = Fields { target, bytes: rough }.u64(0);
                if stamp & stamp::MASK == stamp::LIVE || stamp & stamp::MASK == stamp::WRITING {
                    let at = start.saturating_add(nth as u64 * self.entry_bytes);
                    if settled(target, at, &mut whole)? {
                        each(at, &whole)?;
                    }
                }
            }
            index += count;
        }
        Ok(())
    }
}

/// Copies an entry that is in use as it was at one moment. False: it is not in use, or changes all the time.
fn settled(target: &Target, at: Address, to: &mut [u8]) -> Result<bool, Failure> {
    for _ in 0..LOOKS {
        // The stamp, the entry, and the stamp again, one after the other.
        let before = target.word(at)?;
        match before & stamp::MASK {
            stamp::LIVE => {}
            stamp::WRITING => continue,
            _ => return Ok(false),
        }
        target.fetch(at, to)?;
        if is_still(target, at, before)? && (Fields { target, bytes: to }).u64(0) == before {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Is the entry unchanged since it had this stamp?
pub(crate) fn is_still(target: &Target, at: Address, before: u64) -> Result<bool, Failure> {
    Ok(target.word(at)? == before)
}
