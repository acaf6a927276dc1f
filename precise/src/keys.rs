//! A protection key of the processor, where it has such: pages with the key are closed to the threads of this process, and each
//! of them opens them for itself. Other processes and adapters, to which page rights are closed, too, reach them all the same.

use crate::kernel;
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// The key; 0: there is none.
static KEY: AtomicU32 = AtomicU32::new(0);
/// Where the rights of the keys lie in the state of the processor that a handler is given.
static OFFSET: AtomicU32 = AtomicU32::new(0);

/// Bit of the rights: no access.
const NO_ACCESS: u32 = 1;
/// The component of the state of the processor with these rights.
const COMPONENT: u32 = 9;
/// In that state: where the kernel says how long it is, and where the components are named that it has.
const MARK: (usize, u32) = (464, 0x4650_5853);
const NAMED: usize = 512;

/// Takes a key, if there is one, and nobody has said that none is wanted.
pub(crate) fn begin() {
    if std::env::var_os("MPIVET_PRECISE_KEYS").is_some_and(|value| value == "off") {
        return;
    }
    // SAFETY: a key that nobody has yet; it concerns pages that get it later.
    let key = unsafe { kernel::call(libc::SYS_pkey_alloc, [0, u64::from(NO_ACCESS), 0, 0, 0, 0]) };
    let Some(key) = u32::try_from(key).ok().filter(|key| (1..16).contains(key)) else { return };
    let component = __cpuid_count(0xd, COMPONENT);
    if component.eax < 4 || component.ebx < 576 {
        return;
    }
    OFFSET.store(component.ebx, Ordering::SeqCst);
    KEY.store(key, Ordering::SeqCst);
}

/// Is there a key?
#[inline(always)]
pub(crate) fn is_there() -> bool {
    KEY.load(Ordering::Relaxed) != 0
}

/// It has turned out not to work.
pub(crate) fn do_without() {
    KEY.store(0, Ordering::SeqCst);
}

/// Sets the rights of pages; without rights they get the key instead.
///
/// # Safety
/// Whoever uses these pages can live with it.
pub(crate) unsafe fn protect(pages: &Range<u64>, rights: i32) -> bool {
    let (rights, key) = match rights {
        libc::PROT_NONE => (libc::PROT_READ | libc::PROT_WRITE, KEY.load(Ordering::Relaxed)),
        other => (other, 0),
    };
    let arguments = [pages.start, pages.end - pages.start, rights as u64, u64::from(key), 0, 0];
    // SAFETY: by the contract.
    unsafe { kernel::call(libc::SYS_pkey_mprotect, arguments) == 0 }
}

fn bits() -> u32 {
    NO_ACCESS << (2 * KEY.load(Ordering::Relaxed))
}

/// Pages with the key are closed to this thread again, which [`allow_in`] has opened.
pub(crate) fn deny() {
    if is_there() {
        let rights: u32;
        // SAFETY: the processor has keys, as the kernel has given one. Nothing but the rights of this one is changed.
        unsafe {
            asm!("rdpkru", in("ecx") 0, out("eax") rights, out("edx") _, options(nomem, nostack));
            asm!("wrpkru", in("ecx") 0, in("eax") rights | bits(), in("edx") 0, options(nostack));
        }
    }
}

/// Code that a handler returns to may access pages with the key. False: the state of the processor is not what it should be.
pub(crate) fn allow_in(context: &mut libc::ucontext_t) -> bool {
    change(context, |rights| rights & !bits())
}

/// It may not access them.
pub(crate) fn deny_in(context: &mut libc::ucontext_t) -> bool {
    change(context, |rights| rights | bits())
}

fn change(context: &mut libc::ucontext_t, f: impl FnOnce(u32) -> u32) -> bool {
    let state = context.uc_mcontext.fpregs.cast::<u8>();
    if state.is_null() || !is_there() {
        return false;
    }
    // SAFETY: the kernel gives handlers at least 512 bytes of state; where it marks that as longer, the components follow as the
    // processor says.
    unsafe {
        if state.add(MARK.0).cast::<u32>().read_unaligned() != MARK.1 {
            return false;
        }
        let named = state.add(NAMED).cast::<u64>();
        let has_it = named.read_unaligned() & (1 << COMPONENT) != 0;
        let place = state.add(OFFSET.load(Ordering::Relaxed) as usize).cast::<u32>();
        // A component that is not named is in its first state: nothing is closed.
        let rights = if has_it { place.read_unaligned() } else { 0 };
        place.write_unaligned(f(rights));
        named.write_unaligned(named.read_unaligned() | 1 << COMPONENT);
    }
    true
}
