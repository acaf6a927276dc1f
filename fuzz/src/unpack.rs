//! Packed blocks: whatever the bytes are, unpacking ends, takes no more memory than it may, and breaks nothing. What it
//! gives, packed and unpacked again, stays the same. The same for bytes that are taken for records.

use trace_format::pack::{MAX_UNPACKED, Packer, Unpacker};

const LAP: u64 = 5;

pub fn target(data: &[u8]) {
    let mut records = Vec::new();
    let whole = Unpacker::default().unpack(data, LAP, &mut records).is_ok();
    // The last record may reach beyond.
    assert!(records.len() <= MAX_UNPACKED + (1 << 20));
    if whole && records.len() < 1 << 20 {
        survive(&records);
    }
    survive(data);
}

/// What can be packed is the same when it is unpacked; but for the laps, which the header of a block has.
fn survive(records: &[u8]) {
    let mut again = Vec::new();
    if let Some(packed) = Packer::new(records.len()).pack(records) {
        Unpacker::default().unpack(packed, LAP, &mut again).expect("what was packed can be unpacked");
        assert!(without_laps(&again) == without_laps(records), "other records came out");
    }
}

fn without_laps(records: &[u8]) -> Vec<u8> {
    let mut records = records.to_vec();
    let mut at = 0;
    while let Some(head) = records.get_mut(at..at + 8) {
        let words = usize::from(u16::from_le_bytes([head[3], head[4]]));
        head[5..].fill(0);
        at += 8 * words.max(1);
    }
    records
}
