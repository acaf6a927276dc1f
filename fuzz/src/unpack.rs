//! Packed blocks: whatever the bytes are, unpacking ends, takes no more memory than it may, and breaks nothing. The records that
//! it gives stay the same when they are packed and unpacked again, also where rounds of loops are not unpacked. So do bytes that
//! are taken for records.

use trace_format::pack::{MAX_UNPACKED, Packer};
use trace_format::record::MAX_DURATION;
use trace_reader::unpack::{Unpacked, Unpacker};

const LAP: u64 = 5;

pub fn target(data: &[u8]) {
    let mut records = Vec::new();
    let whole = Unpacker::default().unpack(data, LAP, &mut records).is_ok();
    let mut expected = Vec::new();
    let mut unpacker = Unpacker::default();
    unpacker.begin();
    _ = unpacker.look(data, LAP, usize::MAX, |record| {
        put(record, &mut expected);
        true
    });
    assert_eq!(expected.len(), records.len());
    for len in 1..=usize::from(data.len() as u8 % 4) {
        let (again, is_whole) = round_by_round(data, len);
        assert!(again == expected && is_whole == whole, "rounds of {len} are not what they were");
    }
    // The last record may reach beyond the limit.
    assert!(records.len() <= MAX_UNPACKED + (1 << 20));
    if whole && records.len() < 1 << 20 {
        survive(&records);
    }
    survive(data);
}

/// The records of a packed block, as many as can be unpacked, and whether these are all. So many of them may be the round of a
/// loop.
fn round_by_round(packed: &[u8], len: usize) -> (Vec<u8>, bool) {
    let (mut unpacker, mut out, mut times) = (Unpacker::default(), Vec::new(), Vec::new());
    unpacker.begin();
    loop {
        let mut round = Vec::new();
        let look = |record: Unpacked| {
            put(record, &mut out);
            round.push((record.key, record.times.1 & !MAX_DURATION, record.words.to_vec()));
        };
        match unpacker.look_at_round(packed, LAP, len, look) {
            Ok(false) => {}
            result => return (out, result.is_ok()),
        }
        unpacker.rounds(packed, usize::MAX, &mut times);
        for ((begin, end), (key, class, words)) in times.iter().zip(round.iter().cycle()) {
            let times = (*begin, (end - begin) | class);
            Unpacked { cell: Default::default(), words, times, key: *key, lap: LAP }.add_to(&mut out);
        }
    }
}

/// Writes a record; one that would end behind the end of all times ends there.
fn put(record: Unpacked, out: &mut Vec<u8>) {
    let (begin, second) = record.times;
    let end = begin.saturating_add(second & MAX_DURATION);
    Unpacked { times: (begin, (end - begin) | second & !MAX_DURATION), ..record }.add_to(out);
}

/// Packs and unpacks: records that can be packed come back the same, but for their laps, which are in the header of a block.
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
