//! See `fuzz/src/trace.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::trace::told(data, fuzz::reports::Telling::one(data)));
