//! One thread-local word by the initial-exec model: two instructions, where `thread_local!` in a shared library is a
//! function call.

/// The word of this thread; 0 until it is set.
#[inline(always)]
pub fn get() -> usize {
    word::get()
}

/// Sets the word of this thread.
pub fn set(word: usize) {
    word::set(word);
}

#[cfg(not(miri))]
mod word {
    use std::arch::{asm, global_asm};

    global_asm!(
        ".section .tbss,\"awT\",@nobits",
        ".balign 8",
        ".globl mpivet_thread_word",
        ".hidden mpivet_thread_word",
        ".type mpivet_thread_word,@tls_object",
        ".size mpivet_thread_word, 8",
        "mpivet_thread_word:",
        ".zero 8",
        ".text",
    );

    #[inline(always)]
    pub(super) fn get() -> usize {
        let word: usize;
        // SAFETY: reads the 8-byte variable defined above, at its offset from the thread pointer.
        unsafe {
            asm!(
                "mov {w}, qword ptr [rip + mpivet_thread_word@GOTTPOFF]",
                "mov {w}, qword ptr fs:[{w}]",
                w = out(reg) word,
                options(nostack, preserves_flags, readonly),
            );
        }
        word
    }

    pub(super) fn set(word: usize) {
        // SAFETY: as above, writing.
        unsafe {
            asm!(
                "mov {t}, qword ptr [rip + mpivet_thread_word@GOTTPOFF]",
                "mov qword ptr fs:[{t}], {w}",
                t = out(reg) _,
                w = in(reg) word,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// Miri knows no instructions.
#[cfg(miri)]
mod word {
    use std::cell::Cell;

    thread_local! {
        static WORD: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn get() -> usize {
        WORD.get()
    }

    pub(super) fn set(word: usize) {
        WORD.set(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_word_of_its_own() {
        std::thread::scope(|scope| {
            for thread in 1..=4 {
                scope.spawn(move || {
                    assert_eq!(get(), 0);
                    set(thread);
                    std::thread::yield_now();
                    assert_eq!(get(), thread);
                });
            }
        });
    }
}
