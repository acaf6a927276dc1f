//! The bytes of a packed block as tokens, numbers and changes of cells.

use super::PackError;
use trace_format::pack::CALL_HEAD;
use trace_format::pack::bytes::{head_of, unzigzag};
use trace_format::pack::cells::{Cells, next_stride};
use trace_format::pack::tokens::FORGET;

/// Set in each byte of a number but the last one.
const MORE: u8 = 0x80;

/// The number whose bits are the lower seven of these bytes, the lowest first.
#[inline]
const fn join_sevens(bytes: u64) -> u64 {
    let pairs = bytes & 0x007f_007f_007f_007f | (bytes & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4
}

/// The bytes of a packed block, from its front.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Input<'a> {
    pub(super) fn damage(&self) -> PackError {
        PackError(self.at)
    }

    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8], PackError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..n)).ok_or(self.damage())?;
        self.at += n;
        Ok(taken)
    }

    pub(super) fn token(&mut self) -> Result<u8, PackError> {
        Ok(self.take(1)?.first().copied().unwrap_or(FORGET))
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, PackError> {
        match self.bytes.get(self.at) {
            Some(byte) if *byte < MORE => {
                self.at += 1;
                Ok((*byte).into())
            }
            _ => self.long_number(),
        }
    }

    /// A number of several bytes: of eight at a time.
    #[inline]
    fn long_number(&mut self) -> Result<u64, PackError> {
        let word = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()).map(|word| u64::from_le_bytes(*word));
        match word.map(|word| (word, !word & u64::from_ne_bytes([MORE; 8]))) {
            Some((word, ends)) if ends != 0 => {
                let bits = ends.trailing_zeros() + 1;
                self.at += bits as usize / 8;
                Ok(join_sevens(word & u64::MAX >> (u64::BITS - bits)))
            }
            _ => self.number_by_bytes(),
        }
    }

    /// A number near the end of a block, or a damaged one.
    #[cold]
    fn number_by_bytes(&mut self) -> Result<u64, PackError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(self.damage())?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < MORE {
                return Ok(value);
            }
        }
        Err(self.damage())
    }

    pub(super) fn cell(&mut self, cells: &Cells) -> Result<u16, PackError> {
        let number = self.number()?;
        let known = (number as usize) < cells.list.len();
        if known { Ok(number as u16) } else { Err(self.damage()) }
    }

    /// Reads when a record begins after the one before it, and of a call its word 2.
    #[inline]
    pub(super) fn gap(&mut self, key: u64) -> Result<(u64, u64), PackError> {
        let gap = unzigzag(self.number()?);
        Ok((gap, if head_of(key) == CALL_HEAD { self.number()? } else { 0 }))
    }

    /// Reads changes of a cell.
    pub(super) fn change(&mut self, cells: &mut Cells, cell: u16) -> Result<(), PackError> {
        let Some((words, strides)) = cells.words_mut(cell) else { return Err(self.damage()) };
        let all = words.len().min(strides.len());
        let (words, strides) = (&mut words[..all], &mut strides[..all]);
        let mut next = 0usize;
        loop {
            let skipped = self.number()?;
            let to = next.saturating_add(skipped.saturating_sub(1).try_into().unwrap_or(usize::MAX));
            if to > all {
                return Err(self.damage());
            }
            for i in next..to {
                words[i] = words[i].wrapping_add(strides[i]);
            }
            next = to;
            if skipped == 0 {
                break;
            }
            let difference = unzigzag(self.number()?);
            let (Some(word), Some(stride)) = (words.get_mut(next), strides.get_mut(next)) else {
                return Err(self.damage());
            };
            (*word, *stride) = (word.wrapping_add(difference), next_stride(*stride, difference));
            next += 1;
        }
        let mut any = 0;
        for i in next..all {
            words[i] = words[i].wrapping_add(strides[i]);
        }
        for stride in strides.iter() {
            any |= *stride;
        }
        cells.changed(cell, any != 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::pack::bytes::put;

    #[test]
    fn numbers_of_any_length_are_read_wherever_they_end() {
        let numbers =
            (0..64).flat_map(|bits| [1u64 << bits, (1 << bits) - 1, u64::MAX >> bits, 0x5555_5555_5555_5555 >> bits]);
        for number in numbers {
            for behind in 0..10 {
                let mut bytes = Vec::new();
                put(&mut bytes, number);
                let len = bytes.len();
                bytes.resize(len + behind, 0xff);
                let mut input = Input { bytes: &bytes, at: 0 };
                assert!(matches!(input.number(), Ok(read) if read == number), "{number} with {behind} bytes behind it");
                assert_eq!(input.at, len);
                assert!(Input { bytes: &bytes[..len - 1], at: 0 }.number().is_err(), "{number} was cut off");
            }
        }
        assert!(Input { bytes: &[0xff; 12], at: 0 }.number().is_err());
    }
}
