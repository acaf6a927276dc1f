//! Memory of the target, read without stopping it.

use crate::error::{Error, Result};
use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use std::io::IoSliceMut;

/// Texts that are longer are no texts.
const LONGEST_TEXT: usize = 4096;

#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pid: Pid,
}

impl Memory {
    pub fn of(pid: i32) -> Memory {
        Memory { pid: Pid::from_raw(pid) }
    }

    /// Fills `buffer` from `address`, or fails.
    pub fn read(&self, address: u64, buffer: &mut [u8]) -> Result<()> {
        if buffer.is_empty() {
            return Ok(());
        }
        let base = usize::try_from(address).map_err(|_| Error::Memory { address })?;
        let wanted = buffer.len();
        let remote = [RemoteIoVec { base, len: wanted }];
        match process_vm_readv(self.pid, &mut [IoSliceMut::new(buffer)], &remote) {
            Ok(read) if read == wanted => Ok(()),
            Ok(_) | Err(Errno::EFAULT) => Err(Error::Memory { address }),
            Err(errno) => Err(Error::from_errno(errno)),
        }
    }

    /// The bytes from `address` on, as many as can be read.
    pub fn read_some(&self, address: u64, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; most];
        let Ok(base) = usize::try_from(address) else { return Vec::new() };
        let remote = [RemoteIoVec { base, len: most }];
        let read = process_vm_readv(self.pid, &mut [IoSliceMut::new(&mut bytes)], &remote).unwrap_or(0);
        bytes.truncate(read);
        bytes
    }

    pub fn word(&self, address: u64) -> Result<u64> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    pub fn int(&self, address: u64) -> Result<i32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Ok(i32::from_ne_bytes(bytes))
    }

    /// A text that ends with a zero.
    pub fn text(&self, address: u64) -> Result<String> {
        let mut text = Vec::new();
        while text.len() < LONGEST_TEXT {
            // The end of a page is not passed: the page may be the last.
            let at = address.checked_add(text.len() as u64).ok_or(Error::Memory { address })?;
            let mut part = vec![0; 256 - (at % 256) as usize];
            self.read(at, &mut part)?;
            if let Some(end) = part.iter().position(|b| *b == 0) {
                text.extend(&part[..end]);
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            text.extend(part);
        }
        Err(Error::Other(format!("no text at {address:#x}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_this_process_is_read() {
        let memory = Memory::of(std::process::id() as i32);
        let value = 0x0123_4567_89ab_cdef_u64;
        assert_eq!(memory.word(&raw const value as u64).unwrap(), value);
        let text = format!("{}\0more", "x".repeat(600));
        assert_eq!(memory.text(text.as_ptr() as u64).unwrap(), "x".repeat(600));
        assert!(matches!(memory.word(8), Err(Error::Memory { address: 8 })));
    }

    #[test]
    fn a_process_that_is_not_there_is_gone() {
        assert!(matches!(Memory::of(i32::MAX).word(4096), Err(Error::Gone)));
    }
}
