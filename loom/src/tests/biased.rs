//! In any order of steps one thread at a time has the value, and nothing that one has done is lost.

use crate::biased::Biased;
use crate::sync::{IS_BROKEN, IS_FORBIDDEN, WORD};
use loom::sync::Arc;
use loom::thread;

/// Goes through everything that may happen where each thread takes the lock so often.
fn all(times: &'static [u64], preemptions: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        let lock = Arc::new(Biased::new(0u64));
        let run = |word: usize, times: u64, lock: Arc<Biased<u64>>| {
            move || {
                WORD.with(|own| own.set(word));
                for _ in 0..times {
                    lock.with(|value| *value += 1);
                }
            }
        };
        let mut threads = Vec::new();
        for (place, times) in times.iter().enumerate().skip(1) {
            threads.push(thread::spawn(run(place + 1, *times, Arc::clone(&lock))));
        }
        run(1, times[0], Arc::clone(&lock))();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(lock.with(|value| *value), times.iter().sum::<u64>());
    });
}

#[test]
fn one_comes_while_the_other_is_the_owner() {
    // The first thread is the owner; then it takes the quick way.
    all(&[3, 1], 6);
    all(&[3, 2], 5);
}

#[test]
fn two_come_while_a_third_one_is_the_owner() {
    all(&[2, 1, 1], 3);
}

/// A thread that records nothing has no word, and never becomes the owner.
#[test]
fn threads_without_a_word_take_the_lock() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(|| {
        let lock = Arc::new(Biased::new(0u64));
        let shared = Arc::clone(&lock);
        let other = thread::spawn(move || {
            WORD.with(|own| own.set(2));
            shared.with(|value| *value += 1);
            shared.with(|value| *value += 1);
        });
        lock.with(|value| *value += 1);
        other.join().unwrap();
        assert_eq!(lock.with(|value| *value), 3);
    });
}

/// Where the kernel cannot make others catch up, no thread takes the quick way.
#[test]
fn without_a_way_to_catch_up_it_is_an_ordinary_lock() {
    IS_FORBIDDEN.set(true);
    all(&[2, 1], 3);
    IS_FORBIDDEN.set(false);
}

/// The purpose of the models: if others do not catch up, two threads may have the value at once.
#[test]
fn without_catching_up_the_model_finds_two_threads_inside() {
    IS_BROKEN.set(true);
    let broken = std::panic::catch_unwind(|| all(&[3, 1], 4));
    IS_BROKEN.set(false);
    assert!(broken.is_err());
}
