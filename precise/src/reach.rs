//! Which memory a system call may access.

use crate::entry::Entry;
use crate::{kernel, table};
use recorder::in_flight::How::{self, KernelLoad, KernelStore};
use std::ops::Range;

/// Memory that a call certainly accesses: the argument with an address, and the one that says how many bytes or parts.
#[derive(Clone, Copy)]
enum Named {
    Bytes(usize, usize, How),
    Parts(usize, usize, How),
    /// A message of a socket.
    Message(usize, How),
}

fn named(number: i64) -> Option<Named> {
    Some(match number {
        libc::SYS_read | libc::SYS_pread64 | libc::SYS_recvfrom => Named::Bytes(1, 2, KernelStore),
        libc::SYS_write | libc::SYS_pwrite64 | libc::SYS_sendto => Named::Bytes(1, 2, KernelLoad),
        libc::SYS_getrandom => Named::Bytes(0, 1, KernelStore),
        libc::SYS_readv | libc::SYS_preadv | libc::SYS_preadv2 => Named::Parts(1, 2, KernelStore),
        libc::SYS_writev | libc::SYS_pwritev | libc::SYS_pwritev2 => Named::Parts(1, 2, KernelLoad),
        libc::SYS_recvmsg => Named::Message(1, KernelStore),
        libc::SYS_sendmsg => Named::Message(1, KernelLoad),
        _ => return None,
    })
}

/// The last of the calls that are known here.
const LAST: i64 = libc::SYS_rseq;

/// Do the arguments of a call point to data with pointers, which lead further?
fn leads_further(number: i64) -> bool {
    let is_known = matches!(
        number,
        libc::SYS_ioctl
            | libc::SYS_getsockopt
            | libc::SYS_setsockopt
            | libc::SYS_ptrace
            | libc::SYS__sysctl
            | libc::SYS_prctl
            | libc::SYS_pselect6
            | libc::SYS_vmsplice
            | libc::SYS_move_pages
            | libc::SYS_recvmmsg
            | libc::SYS_sendmmsg
            | libc::SYS_process_vm_readv
            | libc::SYS_process_vm_writev
            | libc::SYS_perf_event_open
            | libc::SYS_seccomp
            | libc::SYS_bpf
            | libc::SYS_userfaultfd
            | libc::SYS_keyctl
            | libc::SYS_mount
    );
    // Asynchronous reading and writing of files.
    is_known || number > LAST || (libc::SYS_io_setup..=libc::SYS_io_cancel).contains(&number)
}

/// Where an argument points to is no more memory of the call than this.
pub(crate) const LONGEST: u64 = 64 << 10;
/// So many parts of memory are looked at.
const MOST_PARTS: usize = 64;

/// Do the arguments of a call tell all about the memory that it accesses?
pub(crate) fn is_understood(number: i64) -> bool {
    !matches!(named(number), Some(Named::Parts(..) | Named::Message(..))) && !leads_further(number)
}

/// Passes the entries that a call may access to `f`, with the range and the kind of the access where they are certain.
pub(crate) fn each(number: i64, arguments: &[u64; 6], mut f: impl FnMut(&Entry, Option<(Range<u64>, How)>)) {
    let argument = |which: usize| arguments.get(which).copied().unwrap_or(0);
    let is_understood = match named(number) {
        None => !leads_further(number),
        Some(Named::Bytes(start, bytes, how)) => {
            sure((argument(start), argument(bytes)), how, &mut f);
            true
        }
        Some(Named::Parts(start, count, how)) => parts((argument(start), argument(count)), how, &mut f),
        Some(Named::Message(at, how)) => {
            // `struct msghdr` begins with a name and its size, parts and their number, and control data.
            let mut message = [0; 5];
            let is_read = copy(argument(at), &mut message);
            let [name, _, start, count, control] = message;
            [name, control].into_iter().for_each(|start| near(start, &mut f));
            is_read && parts((start, count), how, &mut f)
        }
    };
    if !is_understood {
        return table::within(0..u64::MAX).for_each(|entry| f(entry, None));
    }
    let is_certain = |which: usize| matches!(named(number), Some(Named::Bytes(start, ..)) if start == which);
    for (_, start) in arguments.iter().enumerate().filter(|(which, _)| !is_certain(*which)) {
        near(*start, &mut f);
    }
}

/// Something that a call may access begins there.
fn near(start: u64, f: Found) {
    table::within(start..start.saturating_add(LONGEST)).for_each(|entry| f(entry, None));
}

type Found<'a> = &'a mut dyn FnMut(&Entry, Option<(Range<u64>, How)>);

fn sure((start, bytes): (u64, u64), how: How, f: Found) {
    let range = start..start.saturating_add(bytes);
    if range.is_empty() {
        return;
    }
    let forbids = |entry: &&Entry| entry.forbids(how == KernelStore);
    table::within(range.clone()).filter(forbids).for_each(|entry| f(entry, Some((range.clone(), how))));
}

/// False: nobody knows what the parts are.
fn parts((start, count): (u64, u64), how: How, f: Found) -> bool {
    for number in 0..count.min(MOST_PARTS as u64) {
        let mut part = [0; 2];
        if !copy(start.wrapping_add(number * 16), &mut part) {
            return false;
        }
        let [address, bytes] = part;
        sure((address, bytes), how, f);
    }
    count <= MOST_PARTS as u64
}

/// Reads words of the program, wherever they are. False: they cannot be read.
pub(crate) fn copy<const N: usize>(address: u64, into: &mut [u64; N]) -> bool {
    moved(libc::SYS_process_vm_readv, into, address)
}

/// Writes words of the program. False: they cannot be written.
pub(crate) fn copy_to<const N: usize>(address: u64, mut from: [u64; N]) -> bool {
    moved(libc::SYS_process_vm_writev, &mut from, address)
}

fn moved(number: i64, words: &mut [u64], address: u64) -> bool {
    let bytes = size_of_val(words) as u64;
    let (local, remote) = ([words.as_mut_ptr() as u64, bytes], [address, bytes]);
    // SAFETY: the kernel writes into the words, or into memory of the program as that has asked it to, and answers with an error
    // where it cannot.
    unsafe {
        let own = kernel::call(libc::SYS_getpid, [0; 6]) as u64;
        let arguments = [own, (&raw const local) as u64, 1, (&raw const remote) as u64, 1, 0];
        kernel::call(number, arguments) == bytes as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_where_there_are_any() {
        let (words, mut into) = ([3, 4], [0; 2]);
        assert!(copy((&raw const words) as u64, &mut into) && into == words);
        assert!(!copy(8, &mut into));
    }

    #[test]
    fn calls_that_nobody_knows_may_access_everything() {
        assert!(leads_further(LAST + 100) && leads_further(libc::SYS_ioctl) && !leads_further(libc::SYS_futex));
    }
}
