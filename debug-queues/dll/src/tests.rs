//! The entry points with a process that is an array of bytes: sound, damaged, and made of random numbers.

use super::*;
use mqs::{BasicCallbacks, ImageCallbacks, ProcessCallbacks};
use queue_table::{Communicator as Entry, Header, Operation, Pages, flag, kind, stamp, state};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::mem::offset_of;

/// First address of the memory of the process.
const BASE: u64 = 0x10_0000;

thread_local! {
    static MEMORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FETCHES: Cell<u64> = const { Cell::new(0) };
    static IMAGE_INFO: Cell<*mut ImageInfo> = const { Cell::new(std::ptr::null_mut()) };
    static PROCESS_INFO: Cell<*mut ProcessInfo> = const { Cell::new(std::ptr::null_mut()) };
}

unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    // Words are aligned as malloc aligns; the length stands in front.
    let mut words = vec![0u128; 1 + size.div_ceil(16)];
    words[0] = words.len() as u128;
    // SAFETY: there is one word in front of the others.
    unsafe { Box::into_raw(words.into_boxed_slice()).cast::<u128>().add(1).cast() }
}

unsafe extern "C" fn release(place: *mut c_void) {
    // SAFETY: made by `allocate`, with the length in front.
    unsafe {
        let start = place.cast::<u128>().sub(1);
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, *start as usize)));
    }
}

unsafe extern "C" fn put_image(_: *mut Image, info: *mut ImageInfo) {
    IMAGE_INFO.set(info);
}

unsafe extern "C" fn image_info(_: *mut Image) -> *mut ImageInfo {
    IMAGE_INFO.get()
}

unsafe extern "C" fn put_process(_: *mut Process, info: *mut ProcessInfo) {
    PROCESS_INFO.set(info);
}

unsafe extern "C" fn process_info(_: *mut Process) -> *mut ProcessInfo {
    PROCESS_INFO.get()
}

unsafe extern "C" fn find_symbol(_: *mut Image, _: *mut c_char, address: *mut Address) -> c_int {
    // SAFETY: the DLL passes a place for the address.
    unsafe { *address = BASE };
    codes::OK
}

unsafe extern "C" fn image_of(process: *mut Process) -> *mut Image {
    process.cast()
}

unsafe extern "C" fn fetch(_: *mut Process, address: Address, size: c_int, to: *mut c_void) -> c_int {
    FETCHES.set(FETCHES.get() + 1);
    MEMORY.with_borrow(|memory| {
        let start = address.wrapping_sub(BASE) as usize;
        let Some(from) = start.checked_add(size as usize).and_then(|end| memory.get(start..end)) else {
            return codes::NO_INFORMATION;
        };
        // SAFETY: the DLL passes a buffer of this size.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.cast(), from.len()) };
        codes::OK
    })
}

const BASIC: BasicCallbacks = BasicCallbacks {
    malloc: Some(allocate),
    free: Some(release),
    dprints: None,
    errorstring: None,
    put_image_info: Some(put_image),
    get_image_info: Some(image_info),
    put_process_info: Some(put_process),
    get_process_info: Some(process_info),
};
const OF_IMAGE: ImageCallbacks = ImageCallbacks {
    get_type_sizes: None,
    find_function: None,
    find_symbol: Some(find_symbol),
    find_type: None,
    field_offset: None,
    sizeof: None,
};
const OF_PROCESS: ProcessCallbacks = ProcessCallbacks {
    get_global_rank: None,
    get_image: Some(image_of),
    fetch_data: Some(fetch),
    target_to_host: None,
};

/// The view of a debugger: codes other than success, and operations of each communicator with its size.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    failures: Vec<c_int>,
    communicators: Vec<(i64, Vec<Shown>)>,
}

/// Rank and length of an operation.
type Shown = (i64, i64);

/// Looks at everything, as a debugger does.
fn look() -> Seen {
    let mut seen = Seen::default();
    let mut object = 0u64;
    let process: *mut Process = (&raw mut object).cast();
    let mut note = |code: c_int| {
        if code != codes::OK && code != codes::END_OF_LIST {
            seen.failures.push(code);
        }
        code == codes::OK
    };
    // SAFETY: the functions above, and places for all answers.
    unsafe {
        mqs_setup_basic_callbacks(&BASIC);
        assert_eq!(mqs_setup_image(process.cast(), &OF_IMAGE), codes::OK);
        assert_eq!(mqs_setup_process(process, &OF_PROCESS), codes::OK);
        let mut message = std::ptr::null_mut();
        note(mqs_process_has_queues(process, &mut message));
        note(mqs_update_communicator_list(process));
        let mut more = note(mqs_setup_communicator_iterator(process));
        while more {
            let mut comm = Communicator::EMPTY;
            assert_eq!(mqs_get_communicator(process, &mut comm), codes::OK);
            let mut ranks = vec![4711; comm.size as usize + 1];
            assert_eq!(mqs_get_comm_group(process, ranks.as_mut_ptr()), codes::OK);
            assert_eq!(ranks.last(), Some(&4711));
            let mut operations = Vec::new();
            for class in 0..3 {
                let mut op = PendingOperation::EMPTY;
                let mut more = note(mqs_setup_operation_iterator(process, class));
                while more {
                    more = note(mqs_next_operation(process, &mut op));
                    operations.extend(more.then_some((op.desired_local_rank, op.desired_length)));
                }
            }
            seen.communicators.push((comm.size, operations));
            more = note(mqs_next_communicator(process));
        }
        assert_eq!(mqs_destroy_process_info(PROCESS_INFO.get()), codes::OK);
        assert_eq!(mqs_destroy_image_info(IMAGE_INFO.get()), codes::OK);
    }
    seen
}

fn set(memory: &mut [u8], at: usize, bytes: &[u8]) {
    memory[at..at + bytes.len()].copy_from_slice(bytes);
}

const COMMUNICATORS: usize = 0x1000;
const OPERATIONS: usize = 0x2000;
const ENTRIES: u32 = 16;

/// A process with a communicator of 4 and a send on it.
fn sound() -> Vec<u8> {
    let mut memory = vec![0u8; 0x8000];
    let m = &mut memory;
    set(m, offset_of!(Header, magic), &queue_table::MAGIC.to_ne_bytes());
    set(m, offset_of!(Header, version), &queue_table::VERSION.to_ne_bytes());
    set(m, offset_of!(Header, bytes), &(size_of::<Header>() as u32).to_ne_bytes());
    set(m, offset_of!(Header, state), &state::ALL.to_ne_bytes());
    let mut table = |at: usize, bytes: usize, used: u64, page: u64| {
        set(m, at + offset_of!(Pages, entry_bytes), &(bytes as u32).to_ne_bytes());
        set(m, at + offset_of!(Pages, first), &ENTRIES.to_ne_bytes());
        set(m, at + offset_of!(Pages, used), &used.to_ne_bytes());
        set(m, at + offset_of!(Pages, pages), &page.to_ne_bytes());
    };
    table(offset_of!(Header, operations), size_of::<Operation>(), 2, BASE + OPERATIONS as u64);
    table(offset_of!(Header, communicators), size_of::<Entry>(), 1, BASE + COMMUNICATORS as u64);
    table(offset_of!(Header, functions), 64, 0, 0);
    table(offset_of!(Header, datatypes), 80, 0, 0);
    table(offset_of!(Header, sites), 64, 0, 0);
    set(m, COMMUNICATORS + offset_of!(Entry, stamp), &(8 | stamp::LIVE).to_ne_bytes());
    set(m, COMMUNICATORS + offset_of!(Entry, number), &5u32.to_ne_bytes());
    set(m, COMMUNICATORS + offset_of!(Entry, size), &4i32.to_ne_bytes());
    let at = OPERATIONS + size_of::<Operation>();
    set(m, at + offset_of!(Operation, stamp), &(8 | stamp::LIVE).to_ne_bytes());
    set(m, at + offset_of!(Operation, communicator), &5u32.to_ne_bytes());
    set(m, at + offset_of!(Operation, peer), &3i32.to_ne_bytes());
    set(m, at + offset_of!(Operation, count), &7i64.to_ne_bytes());
    set(m, at + offset_of!(Operation, element), &8u32.to_ne_bytes());
    set(m, at + offset_of!(Operation, kind), &[kind::SEND, flag::BLOCKING]);
    memory
}

fn look_at(memory: Vec<u8>) -> Seen {
    MEMORY.set(memory);
    FETCHES.set(0);
    look()
}

/// Tests run one at a time, since the debugger's functions are kept for all.
static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn damage_is_an_error_and_not_a_crash() {
    let _one = ONE.lock();
    let no_information = codes::NO_INFORMATION;
    let good = Seen { failures: vec![no_information], communicators: vec![(4, vec![(3, 56)])] };
    assert_eq!(look_at(sound()), good, "unexpected messages are not known, and all else is");
    let damaged = |at: usize, bytes: &[u8]| {
        let mut memory = sound();
        set(&mut memory, at, bytes);
        look_at(memory)
    };
    let all = |failure: Failure| vec![failure.code(); 3];
    assert_eq!(damaged(0, &[0]).failures, all(Failure::NoTable));
    assert_eq!(damaged(offset_of!(Header, version), &[9]).failures, all(Failure::OtherVersion));
    assert_eq!(damaged(offset_of!(Header, bytes), &[9]).failures, all(Failure::OtherVersion));
    assert_eq!(damaged(offset_of!(Header, operations), &[9]).failures, all(Failure::Damaged));
    assert_eq!(damaged(offset_of!(Header, sites) + 4, &[3]).failures, all(Failure::Damaged));
    let page = offset_of!(Header, communicators) + offset_of!(Pages, pages);
    assert_eq!(damaged(page, &[0; 8]).failures, [Failure::Damaged.code(); 2]);
    assert_eq!(damaged(page, &[0xff; 8]).failures, [Failure::Unreadable.code(); 2]);
    assert_eq!(damaged(COMMUNICATORS + offset_of!(Entry, size), &(-1i32).to_ne_bytes()).failures.len(), 2);
    assert_eq!(look_at(Vec::new()).failures, all(Failure::Unreadable));
    assert_eq!(look_at(sound()[..0x1800].to_vec()).failures.first(), Some(&Failure::Unreadable.code()));
    // Always being written: it is passed over.
    let writing = (8 | stamp::WRITING).to_ne_bytes();
    let seen = damaged(OPERATIONS + size_of::<Operation>(), &writing);
    assert_eq!(seen, Seen { communicators: vec![(4, vec![])], ..good });
}

#[test]
fn whatever_is_in_the_memory_there_is_an_answer_soon() {
    let _one = ONE.lock();
    let mut seed = 1u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let (mut whole, mut most) = (0, 0);
    // Miri takes its time.
    let times = if cfg!(miri) { 20 } else { 1000 };
    for _ in 0..times {
        let mut memory = sound();
        for _ in 0..1 + random(12) {
            // Mostly where it hurts.
            let at = match random(4) {
                0 => random(size_of::<Header>()),
                1 => COMMUNICATORS + random(128),
                2 => OPERATIONS + random(128),
                _ => random(memory.len()),
            };
            memory[at] = match random(3) {
                0 => 0xff,
                1 => 0,
                _ => random(256) as u8,
            };
        }
        whole += usize::from(look_at(memory).communicators.iter().any(|(_, operations)| !operations.is_empty()));
        most = most.max(FETCHES.get());
    }
    assert!(whole > times / 10, "{whole} of them were sound enough to be shown");
    assert!(most < 100_000, "{most} pieces of memory were asked for");
}

#[test]
fn nothing_is_asked_of_a_debugger_that_provides_nothing() {
    let _one = ONE.lock();
    let nothing = Failure::NoCallbacks.code();
    // SAFETY: null pointers, which are allowed, and a process that is not touched.
    unsafe {
        mqs_setup_basic_callbacks(std::ptr::null());
        let mut object = 0u64;
        let process: *mut Process = (&raw mut object).cast();
        assert_eq!(mqs_setup_image(std::ptr::null_mut(), &OF_IMAGE), nothing);
        assert_eq!(mqs_setup_image(process.cast(), std::ptr::null()), nothing);
        assert_eq!(mqs_setup_process(process, std::ptr::null()), nothing);
        assert_eq!(mqs_image_has_queues(std::ptr::null_mut(), std::ptr::null_mut()), nothing);
        assert_eq!(mqs_next_communicator(std::ptr::null_mut()), nothing);
        mqs_setup_basic_callbacks(&BasicCallbacks { malloc: None, ..BASIC });
        assert_eq!(mqs_setup_process(process, &OF_PROCESS), nothing);
        assert_eq!(mqs_destroy_process_info(std::ptr::null_mut()), Failure::NotSetUp.code());
    }
}
