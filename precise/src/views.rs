//! Memory of the program's own that it gives to a window (MPI_Win_create): the library gets a second mapping of it, which nothing
//! protects, so that other processes reach it at any time. The mapping of the program stays where it is, and can be watched.
//!
//! The pages become shared memory of this process alone. A process that a fork makes gets private ones again, with what they held
//! at the fork, and so does the program when the window is freed.

use crate::pages::{self, PAGE};
use crate::{backstop, edges, kernel, place, table};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Windows with second views at the same time.
const MOST: usize = 64;
/// Longer windows are left alone: their memory is copied once.
const MOST_BYTES: u64 = 256 << 20;
/// The file goes on behind the memory: whoever makes the mapping longer finds zeros there.
const BEHIND: u64 = 1 << 40;

struct View {
    /// The pages of the program; 0: nobody has this place.
    start: AtomicU64,
    end: AtomicU64,
    /// Where the library has them.
    second: AtomicU64,
    /// So many windows have them.
    windows: AtomicU64,
    /// A private copy, while a fork is made.
    copy: AtomicU64,
}

static ALL: [View; MOST] = [const {
    View {
        start: AtomicU64::new(0),
        end: AtomicU64::new(0),
        second: AtomicU64::new(0),
        windows: AtomicU64::new(0),
        copy: AtomicU64::new(0),
    }
}; MOST];
static ANY: AtomicBool = AtomicBool::new(false);

/// Pages that are about to get another mapping: whoever writes there meanwhile comes again.
static MOVING: (AtomicU64, AtomicU64) = (AtomicU64::new(0), AtomicU64::new(0));

/// Is the page about to get another mapping? For handlers.
pub(crate) fn is_moving(page: u64) -> bool {
    (MOVING.0.load(Ordering::SeqCst)..MOVING.1.load(Ordering::SeqCst)).contains(&page)
}

impl View {
    fn pages(&self) -> Range<u64> {
        self.start.load(Ordering::SeqCst)..self.end.load(Ordering::SeqCst)
    }

    fn holds(&self, pages: &Range<u64>) -> bool {
        let own = self.pages();
        own.start != 0 && own.start <= pages.start && pages.end <= own.end
    }

    fn meets(&self, pages: &Range<u64>) -> bool {
        let own = self.pages();
        own.start < pages.end && pages.start < own.end
    }

    fn second(&self) -> u64 {
        self.second.load(Ordering::SeqCst)
    }

    /// A private copy of the pages; 0 if there is no memory for that.
    fn copied(&self) -> u64 {
        let own = self.pages();
        let copy = map(0, own.end - own.start, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None).unwrap_or(0);
        if copy != 0 {
            // SAFETY: both mappings have that many bytes; nobody protects the second view.
            unsafe { copy_pages(self.second(), copy, own.end - own.start) };
        }
        copy
    }

    /// Puts a private copy in the place of the shared pages.
    fn put(&self, copy: u64) -> bool {
        let own = self.pages();
        let bytes = own.end - own.start;
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as u64;
        // SAFETY: the copy is a mapping of that length, which takes the place of one that this library has made.
        let moved = unsafe { kernel::call(libc::SYS_mremap, [copy, bytes, bytes, flags, own.start, 0]) };
        moved as u64 == own.start
    }
}

/// Are the pages among those with a second view?
pub(crate) fn is_in_one(pages: &Range<u64>) -> bool {
    ANY.load(Ordering::SeqCst) && views().any(|view| view.holds(pages))
}

fn views() -> impl Iterator<Item = &'static View> {
    ALL.iter().filter(|view| view.start.load(Ordering::SeqCst) != 0)
}

/// Copies whole pages to where there are zeros. Pages of zeros are left out: nobody may have used them, and they take no memory.
///
/// # Safety
/// Both are mappings with so many bytes that may be read, and written.
unsafe fn copy_pages(from: u64, to: u64, bytes: u64) {
    type Page = [u64; PAGE as usize / 8];
    for number in 0..(bytes / PAGE) as usize {
        // SAFETY: by the contract; they are two mappings, which begin with a page.
        unsafe {
            let page = (from as *const Page).add(number).read();
            if page.iter().any(|word| *word != 0) {
                (to as *mut Page).add(number).write(page);
            }
        }
    }
}

fn map(at: u64, bytes: u64, flags: i32, file: Option<i64>) -> Option<u64> {
    let rights = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    let file = file.unwrap_or(-1) as u64;
    // SAFETY: a new mapping, or one in the place of pages whose contents it has.
    let mapped = unsafe { kernel::call(libc::SYS_mmap, [at, bytes, rights, flags as u64, file, 0]) };
    (mapped > 0).then_some(mapped as u64)
}

fn unmap(start: u64, bytes: u64) {
    // SAFETY: a mapping that this library has made.
    unsafe { kernel::call(libc::SYS_munmap, [start, bytes, 0, 0, 0, 0]) };
}

/// A file in memory, which may be as long as the pages and what lies behind them.
fn file(bytes: u64) -> Option<i64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes the variable. Whoever makes a file longer than the limit gets a signal.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    if !is_known || limit.rlim_cur != libc::RLIM_INFINITY {
        return None;
    }
    let name = c"mpivet-window".as_ptr() as u64;
    // SAFETY: a new file without a name in the file system.
    unsafe {
        let file = kernel::call(libc::SYS_memfd_create, [name, u64::from(libc::MFD_CLOEXEC), 0, 0, 0, 0]);
        if file < 0 {
            return None;
        }
        if kernel::call(libc::SYS_ftruncate, [file as u64, bytes.saturating_add(BEHIND), 0, 0, 0, 0]) != 0 {
            close(file);
            return None;
        }
        Some(file)
    }
}

fn close(file: i64) {
    // SAFETY: a file that this library has opened.
    unsafe { kernel::call(libc::SYS_close, [file as u64, 0, 0, 0, 0, 0]) };
}

/// May these pages get another mapping? Nobody but this thread accesses them, as far as anybody can know.
fn may_be_moved(start: u64, end: u64) -> bool {
    let (pages, whole) = (pages::all_pages(start, end), pages::whole_pages(start, end));
    let is_short = pages.end - pages.start <= MOST_BYTES;
    is_short
        && (whole.is_empty() || place::is_plain(&whole))
        && edges::pages(start, end, whole) == pages
        && edges::are_possible()
        && !views().any(|view| view.meets(&pages))
}

/// Gives the program's memory from `start` to `end` a second view. The place of `start` there; 0 if it cannot have one.
pub(crate) extern "C" fn double(start: u64, end: u64) -> u64 {
    let pages = pages::all_pages(start, end);
    if end <= start || !table::is_on() {
        return 0;
    }
    if let Some(known) = views().find(|view| view.holds(&pages)) {
        known.windows.fetch_add(1, Ordering::SeqCst);
        return known.second() + (start - known.pages().start);
    }
    let free = ALL.iter().find(|view| view.start.load(Ordering::SeqCst) == 0);
    let Some(view) = free.filter(|_| may_be_moved(start, end)) else { return 0 };
    let bytes = pages.end - pages.start;
    let Some(file) = file(bytes) else { return 0 };
    let second = map(0, bytes, libc::MAP_SHARED, Some(file)).unwrap_or(0);
    let is_moved = second != 0
        && while_nobody_writes(&pages, || {
            // SAFETY: the pages are the program's, which may read them; the second view is as long.
            unsafe { copy_pages(pages.start, second, bytes) };
            map(pages.start, bytes, libc::MAP_SHARED | libc::MAP_FIXED, Some(file)).is_some()
        });
    close(file);
    if !is_moved {
        if second != 0 {
            unmap(second, bytes);
        }
        return 0;
    }
    view.end.store(pages.end, Ordering::SeqCst);
    view.second.store(second, Ordering::SeqCst);
    view.windows.store(1, Ordering::SeqCst);
    view.start.store(pages.start, Ordering::SeqCst);
    ANY.store(true, Ordering::SeqCst);
    second + (start - pages.start)
}

/// Gives the pages another mapping, which `moves` does; no when somebody may have the kernel access them.
fn while_nobody_writes(pages: &Range<u64>, moves: impl FnOnce() -> bool) -> bool {
    table::forget(pages);
    table::drop_edges(pages);
    backstop::block_inside();
    MOVING.0.store(pages.start, Ordering::SeqCst);
    MOVING.1.store(pages.end, Ordering::SeqCst);
    pages::protect(pages, libc::PROT_READ);
    let ends = [pages.start, pages.end - PAGE];
    let is_moved = !ends.iter().any(|page| backstop::kernel_may_reach(*page)) && moves();
    if !is_moved {
        pages::protect(pages, pages::OPEN);
    }
    MOVING.1.store(0, Ordering::SeqCst);
    MOVING.0.store(0, Ordering::SeqCst);
    is_moved
}

/// The window is gone, for which [`double`] has given this memory a second view: the last one takes the view with it.
pub(crate) extern "C" fn undouble(start: u64, end: u64) {
    let pages = pages::all_pages(start, end);
    let Some(view) = views().find(|view| view.holds(&pages)) else { return };
    // With other threads, nobody knows who accesses it: it stays as it is, which nobody sees.
    if view.windows.fetch_sub(1, Ordering::SeqCst) != 1 || !edges::are_possible() {
        return;
    }
    let own = view.pages();
    let is_private = while_nobody_writes(&own, || {
        let copy = view.copied();
        copy != 0
            && (view.put(copy) || {
                unmap(copy, own.end - own.start);
                false
            })
    });
    if is_private {
        view.start.store(0, Ordering::SeqCst);
        unmap(view.second(), own.end - own.start);
    }
}

/// A fork is about to be made.
pub(crate) fn before_fork() {
    if ANY.load(Ordering::SeqCst) {
        views().for_each(|view| view.copy.store(view.copied(), Ordering::SeqCst));
    }
}

/// It was made, and this is the process that has made it.
pub(crate) fn after_fork() {
    if ANY.load(Ordering::SeqCst) {
        for view in views() {
            let (copy, own) = (view.copy.swap(0, Ordering::SeqCst), view.pages());
            if copy != 0 {
                unmap(copy, own.end - own.start);
            }
        }
    }
}

/// This is the new process: its memory is its own.
pub(crate) fn in_child() {
    if ANY.load(Ordering::SeqCst) {
        for view in views() {
            let copy = view.copy.swap(0, Ordering::SeqCst);
            if copy != 0 && view.put(copy) {
                view.start.store(0, Ordering::SeqCst);
            }
        }
    }
}
