//! Packed blocks: whatever the bytes are, unpacking ends, takes no more memory than it may, and breaks nothing. What it
//! gives, packed and unpacked again, stays the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trace_format::pack::{MAX_UNPACKED, Packer, Unpacker};

fuzz_target!(|data: &[u8]| {
    let (mut records, mut again) = (Vec::new(), Vec::new());
    let whole = Unpacker::default().unpack(data, 5, &mut records).is_ok();
    assert!(records.len() <= MAX_UNPACKED + (1 << 20));
    if whole && let Some(packed) = Packer::new(records.len()).pack(&records) {
        Unpacker::default().unpack(packed, 5, &mut again).expect("what was packed can be unpacked");
        assert!(again == records);
    }
});
