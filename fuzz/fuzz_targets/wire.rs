//! See `fuzz/src/wire.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::wire::target(data));
