//! Runs that the user wants altered: standard sends that wait for their receives (`MPIVET_SYNC_SENDS`), wildcards that take
//! the messages of a witness (`MPIVET_REPLAY`), second views of the memory of windows (`MPIVET_PRECISE`). Without these options no
//! call is altered. What is recorded is what the
//! program has called.

use crate::call::info::{Altered, Info};
use crate::call::mode::guarded;
use crate::job::config::{self, Config};
use crate::mpi::abi::Abi;
use crate::mpi::library::{self, call_words};
use crate::precise::own_memory;
use crate::state::recording::{Call, is_negative};
use crate::state::thread::{Thread, ThreadPtr};
use crate::watch::windows;
use recorder::memory;
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};
use trace_format::mpi::{Class, Coll, FUNCTIONS, FnId, Function, SendMode};
use trace_format::run::witness::{Take, Wildcards, Witness, is_wild};

/// The alterations that the user wants.
#[derive(Default)]
struct Wishes {
    synchronous: bool,
    /// The message that each wildcard of this rank takes, by thread and number.
    takes: FxHashMap<(u16, u64), Take>,
}

static WISHES: OnceLock<Wishes> = OnceLock::new();
/// A call did not fit the witness: the program has gone another way.
static ASTRAY: AtomicBool = AtomicBool::new(false);

/// Reads what is to be altered, once, before recording begins. `program`: its path; `rank` and `size`: in its world.
pub(crate) fn prepare(config: &Config, program: &str, rank: i32, size: i32, spawned: bool) {
    WISHES.get_or_init(|| {
        let witness = config.replay.as_deref().filter(|_| !spawned).map(Witness::read);
        let takes = match witness {
            None => FxHashMap::default(),
            Some(Ok(witness)) => takes(witness, program, rank, size),
            Some(Err(e)) => {
                recorder::log::line(&format!("rank {rank}: {e}; nothing is replayed"));
                FxHashMap::default()
            }
        };
        Wishes { synchronous: config.sync_sends, takes }
    });
}

fn takes(witness: Witness, program: &str, rank: i32, size: i32) -> FxHashMap<(u16, u64), Take> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    if witness.ranks != size {
        if rank == 0 {
            let ranks = witness.ranks;
            recorder::log::line(&format!("the witness is of a run of {ranks} ranks, not {size}; nothing is replayed"));
        }
        return FxHashMap::default();
    }
    if rank == 0 && name(&witness.program) != name(program) {
        recorder::log::line(&format!("the witness is of another program: {}", witness.program));
    }
    witness.takes.into_iter().filter(|t| t.rank == rank).map(|t| ((t.thread, t.call), t)).collect()
}

/// How calls of `row` are to be altered.
pub(crate) fn of(row: &Function) -> Option<Altered> {
    if config::precise().is_some() {
        match (row.id, row.class) {
            (FnId::MPI_Win_get_attr, _) => return Some(Altered::OwnView),
            (_, Class::Collective(Coll::WinCreate, _)) => return Some(Altered::SecondView),
            _ => {}
        }
    }
    let wishes = WISHES.get()?;
    if let Class::Send(SendMode::Standard, start) = row.class {
        let class = Class::Send(SendMode::Synchronous, start);
        // The form for large counts is a function of its own with the same class.
        let same = |f: &&Function| f.class == class && f.params.iter().zip(row.params).all(|(a, b)| a.kind == b.kind);
        return FUNCTIONS.iter().find(same).filter(|_| wishes.synchronous).map(|f| Altered::Synchronous(f.id.index()));
    }
    Wildcards::of(row).filter(|_| !wishes.takes.is_empty()).map(Altered::Narrowed)
}

/// Calls the library in place of `f`, which is what the program has called.
///
/// # Safety
/// `f` and the words are as for [`call_words`].
#[cold]
#[inline(never)]
pub(crate) unsafe fn forward(altered: Altered, f: *mut c_void, thread: ThreadPtr, call: &Call, profiling: bool) -> u64 {
    let &Call { info: Info { args, row, .. }, abi, words, .. } = call;
    match altered {
        Altered::SecondView => {
            let span = windows::given(call);
            let second = guarded(|| own_memory::creating(span.clone())).flatten();
            let mut given = *words;
            if let Some((second, place)) = second.zip(row.param("base").and_then(|base| given.get_mut(base))) {
                *place = second;
            }
            // SAFETY: the same arguments, but for the memory, of which there are two views.
            let result = unsafe { call_words(f, *args, &given) };
            if result as i32 != 0 {
                guarded(|| own_memory::not_created(&span));
            }
            result
        }
        Altered::OwnView => {
            // SAFETY: the arguments are those of the program.
            let result = unsafe { call_words(f, *args, words) };
            if result as i32 == 0 {
                guarded(|| tell_own_view(row.param("attribute_val").and_then(|at| words.get(at)).copied()));
            }
            result
        }
        Altered::Synchronous(index) => {
            let synchronous = library::next(index, profiling);
            let f = if synchronous.is_null() { f } else { synchronous };
            // SAFETY: both functions take the same arguments.
            unsafe { call_words(f, *args, words) }
        }
        Altered::Narrowed(wildcards) => {
            let mut narrowed = *words;
            let step = thread.with(|thread| step(thread, row, wildcards, abi, &mut narrowed));
            // SAFETY: the same arguments, except that a wildcard may have become a rank or a tag.
            let result = unsafe { call_words(f, *args, &narrowed) };
            let flag = wildcards.found.and_then(|found| words.get(found).copied());
            let counts = flag.is_none_or(|flag| result as i32 == 0 && !is_negative(abi, flag));
            if let Some(step) = step.filter(|_| counts) {
                if step.strays {
                    go_astray(&step, row);
                }
                thread.with(|thread| thread.wildcards = step.number + 1);
            }
            result
        }
    }
}

/// An attribute of a window was written to `at`: the program is told where its own view of the memory is.
#[cold]
pub(crate) fn tell_own_view(at: Option<u64>) {
    let mut value = [0; 8];
    if let Some(at) = at.filter(|at| memory::read(*at, &mut value))
        && let Some(own) = own_memory::own_address(u64::from_le_bytes(value))
    {
        // SAFETY: the call has written the address of a window's memory there, which has as many bytes.
        unsafe { (at as *mut u64).write_unaligned(own) };
    }
}

/// A wildcard call.
struct Step {
    number: u64,
    /// It is not the one that the witness knows.
    strays: bool,
}

/// Narrows the arguments of a call. `None`: it has no wildcards.
fn step(
    thread: &mut Thread,
    row: &Function,
    Wildcards { source, tag, found }: Wildcards,
    abi: &Abi,
    words: &mut [u64],
) -> Option<Step> {
    let value = |at: usize| words.get(at).map(|w| *w as i32);
    let (given_source, given_tag) = (abi.rank(value(source)?), abi.tag(value(tag)?));
    if !is_wild(given_source, given_tag) {
        return None;
    }
    let number = thread.wildcards;
    let take = WISHES.get().and_then(|w| w.takes.get(&(thread.number(), number)));
    let Some(take) = take.filter(|_| !ASTRAY.load(Ordering::Relaxed)) else {
        return Some(Step { number, strays: false });
    };
    let fits = take.function == row.name
        && (given_source == ANY_SOURCE || given_source == take.source)
        && (given_tag == ANY_TAG || given_tag == take.tag);
    let step = Step { number, strays: !fits };
    if fits {
        for (at, value) in [(source, take.source), (tag, take.tag)] {
            if let Some(word) = words.get_mut(at) {
                *word = value as u64;
            }
        }
    } else if found.is_none() {
        // It may wait for ever: to be said before.
        go_astray(&step, row);
        return Some(Step { number, strays: false });
    }
    Some(step)
}

/// From now on wildcards are free.
#[cold]
fn go_astray(step: &Step, row: &Function) {
    if ASTRAY.swap(true, Ordering::Relaxed) {
        return;
    }
    let rank = recorder::trace::get().map_or(0, |t| t.rank);
    let (number, name) = (step.number + 1, row.name);
    recorder::log::line(&format!(
        "rank {rank}: {name}, its wildcard call number {number}, does not fit the witness; its wildcards are free from here on"
    ));
}
