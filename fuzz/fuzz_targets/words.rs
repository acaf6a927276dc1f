//! See `fuzz/src/words.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::words::target(data));
