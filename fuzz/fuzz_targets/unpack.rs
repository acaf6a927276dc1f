//! See `fuzz/src/unpack.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::unpack::target(data));
