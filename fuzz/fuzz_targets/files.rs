//! See `fuzz/src/files.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::files::told(data, fuzz::reports::Telling::one(data)));
