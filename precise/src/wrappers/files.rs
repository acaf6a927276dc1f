//! Functions by which the kernel reads and writes memory, in libraries of MPI and in programs.

use super::{Opening, in_front, parts_of};
use recorder::in_flight::How::{KernelLoad, KernelStore};
use std::ffi::{c_char, c_int, c_ulong, c_void};

type File = libc::FILE;
type Message = libc::msghdr;
type Part = libc::iovec;
type Address = libc::sockaddr;
type Size = libc::socklen_t;

in_front! {
    fn read(fd: c_int, to: *mut c_void, bytes: usize) -> isize, failing with Some(-1), |o| o.store(to, bytes);
    fn __read_chk(fd: c_int, to: *mut c_void, bytes: usize, room: usize) -> isize, failing with Some(-1),
        |o| o.store(to, bytes);
    fn pread(fd: c_int, to: *mut c_void, bytes: usize, at: i64) -> isize, failing with Some(-1), |o| o.store(to, bytes);
    fn pread64(fd: c_int, to: *mut c_void, bytes: usize, at: i64) -> isize, failing with Some(-1), |o| o.store(to, bytes);
    fn __pread_chk(fd: c_int, to: *mut c_void, bytes: usize, at: i64, room: usize) -> isize, failing with Some(-1),
        |o| o.store(to, bytes);
    fn __pread64_chk(fd: c_int, to: *mut c_void, bytes: usize, at: i64, room: usize) -> isize, failing with Some(-1),
        |o| o.store(to, bytes);
    fn readv(fd: c_int, parts: *const Part, count: c_int) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { vector(o, parts, count, KernelStore) };
    fn preadv(fd: c_int, parts: *const Part, count: c_int, at: i64) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { vector(o, parts, count, KernelStore) };
    fn preadv64(fd: c_int, parts: *const Part, count: c_int, at: i64) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { vector(o, parts, count, KernelStore) };
    fn recv(fd: c_int, to: *mut c_void, bytes: usize, flags: c_int) -> isize, failing with Some(-1), |o| o.store(to, bytes);
    fn __recv_chk(fd: c_int, to: *mut c_void, bytes: usize, room: usize, flags: c_int) -> isize, failing with Some(-1),
        |o| o.store(to, bytes);
    fn recvfrom(fd: c_int, to: *mut c_void, bytes: usize, flags: c_int, from: *mut Address, size: *mut Size) -> isize,
        failing with Some(-1), |o| o.store(to, bytes);
    fn __recvfrom_chk(fd: c_int, to: *mut c_void, bytes: usize, room: usize, flags: c_int, from: *mut Address,
        size: *mut Size) -> isize, failing with Some(-1), |o| o.store(to, bytes);
    fn recvmsg(fd: c_int, message: *mut Message, flags: c_int) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { of_message(o, message, KernelStore) };
    fn write(fd: c_int, from: *const c_void, bytes: usize) -> isize, failing with Some(-1), |o| o.load(from, bytes);
    fn pwrite(fd: c_int, from: *const c_void, bytes: usize, at: i64) -> isize, failing with Some(-1),
        |o| o.load(from, bytes);
    fn pwrite64(fd: c_int, from: *const c_void, bytes: usize, at: i64) -> isize, failing with Some(-1),
        |o| o.load(from, bytes);
    fn writev(fd: c_int, parts: *const Part, count: c_int) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { vector(o, parts, count, KernelLoad) };
    fn pwritev(fd: c_int, parts: *const Part, count: c_int, at: i64) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { vector(o, parts, count, KernelLoad) };
    fn pwritev64(fd: c_int, parts: *const Part, count: c_int, at: i64) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { vector(o, parts, count, KernelLoad) };
    fn send(fd: c_int, from: *const c_void, bytes: usize, flags: c_int) -> isize, failing with Some(-1),
        |o| o.load(from, bytes);
    fn sendto(fd: c_int, from: *const c_void, bytes: usize, flags: c_int, to: *const Address, size: Size) -> isize,
        failing with Some(-1), |o| o.load(from, bytes);
    fn sendmsg(fd: c_int, message: *const Message, flags: c_int) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { of_message(o, message, KernelLoad) };
    fn process_vm_readv(pid: libc::pid_t, local: *const Part, count: c_ulong, remote: *const Part, others: c_ulong,
        flags: c_ulong) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { between(o, pid, (local, count, KernelStore), (remote, others, KernelLoad)) };
    fn process_vm_writev(pid: libc::pid_t, local: *const Part, count: c_ulong, remote: *const Part, others: c_ulong,
        flags: c_ulong) -> isize, failing with Some(-1),
        // SAFETY: the caller has given them to the kernel so.
        |o| unsafe { between(o, pid, (local, count, KernelLoad), (remote, others, KernelStore)) };
    fn getrandom(to: *mut c_void, bytes: usize, flags: u32) -> isize, failing with Some(-1), |o| o.store(to, bytes);
    // Streams call the kernel inside of the C library. A call that fails half-way cannot be made again.
    fn fread(to: *mut c_void, size: usize, count: usize, file: *mut File) -> usize, failing with None,
        |o| o.store(to, size.saturating_mul(count));
    fn fread_unlocked(to: *mut c_void, size: usize, count: usize, file: *mut File) -> usize, failing with None,
        |o| o.store(to, size.saturating_mul(count));
    fn __fread_chk(to: *mut c_void, room: usize, size: usize, count: usize, file: *mut File) -> usize, failing with None,
        |o| o.store(to, size.saturating_mul(count));
    fn fwrite(from: *const c_void, size: usize, count: usize, file: *mut File) -> usize, failing with None,
        |o| o.load(from, size.saturating_mul(count));
    fn fwrite_unlocked(from: *const c_void, size: usize, count: usize, file: *mut File) -> usize, failing with None,
        |o| o.load(from, size.saturating_mul(count));
    fn fgets(to: *mut c_char, bytes: c_int, file: *mut File) -> *mut c_char, failing with None,
        |o| o.store(to.cast(), usize::try_from(bytes).unwrap_or(0));
    // Drivers of networks register memory so. Nobody knows which.
    fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int, failing with Some(-1), everything;
}

/// # Safety
/// The parts are those of a call.
unsafe fn vector(opening: &mut Opening, parts: *const Part, count: c_int, how: recorder::in_flight::How) {
    // SAFETY: by the contract.
    unsafe { opening.all(parts, usize::try_from(count).unwrap_or(0), how) };
}

/// # Safety
/// The message is that of a call.
unsafe fn of_message(opening: &mut Opening, message: *const Message, how: recorder::in_flight::How) {
    // SAFETY: by the contract.
    unsafe {
        let (parts, count) = parts_of(message);
        opening.all(parts, count, how);
    }
}

type Parts = (*const Part, c_ulong, recorder::in_flight::How);

/// # Safety
/// The parts are those of a call.
unsafe fn between(opening: &mut Opening, pid: libc::pid_t, local: Parts, remote: Parts) {
    // SAFETY: by the contract; asking for the own number cannot fail.
    unsafe {
        opening.all(local.0, local.1 as usize, local.2);
        if pid == libc::getpid() {
            opening.all(remote.0, remote.1 as usize, remote.2);
        }
    }
}

fn everything(opening: &mut Opening) {
    if !opening.notes {
        opening.open(1..u64::MAX, KernelStore);
    }
}
