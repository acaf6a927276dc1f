//! A trace directory whose files hold what the fuzzer likes, also in their headers.
//!
//! An input is chunks: which file, length (16 bits), bytes. The highest bit of the first one makes right what would keep the
//! reader from looking at the bytes of a rank's file: magic numbers, fingerprint of the table, checksums.

use super::reports::{self, Telling};
use super::trace::header;
use trace_format::file::{BLOCK_HEADER_BYTES, BlockHeader, MAGIC, STAGE_MAGIC, VERSION, checksum};
use trace_format::settings::selection::Selection;
use trace_format::{codec, file::RankHeader};

const NAMES: [&str; 9] = [
    "job.json",
    "rank-0.mpv",
    "rank-1.mpv",
    "rank-0.host.7.mpv",
    "rank-0.t0.stage",
    "rank-0.t1.stage",
    "launch.json",
    "each.json",
    "witness-1.json",
];

pub fn target(data: &[u8]) {
    told(data, Telling::Everything);
}

pub fn told(mut data: &[u8], telling: Telling) {
    let dir = reports::scratch();
    while let [which, low, high, rest @ ..] = data {
        let (bytes, rest) = rest.split_at(usize::from(u16::from_le_bytes([*low, *high])).min(rest.len()));
        let name = NAMES[usize::from(which & 0x7f) % NAMES.len()];
        let mut bytes = bytes.to_vec();
        if which & 0x80 != 0 {
            if name.ends_with(".mpv") {
                bytes = believed(&bytes);
            } else if name.ends_with(".stage") {
                bytes.splice(..bytes.len().min(8), STAGE_MAGIC);
            }
        }
        std::fs::write(dir.join(name), bytes).expect("a file");
        data = rest;
    }
    if let Some(report) = reports::report(&dir, Selection::default()) {
        reports::tell(&report, telling);
    }
    reports::print(&dir);
}

/// A rank's file whose bytes are framed well, whatever they say. The length of the header (16 bits) is in front.
fn believed(bytes: &[u8]) -> Vec<u8> {
    let Some((len, rest)) = bytes.split_first_chunk::<2>() else { return bytes.to_vec() };
    let (head, blocks) = rest.split_at(usize::from(u16::from_le_bytes(*len)).min(rest.len()));
    let mut item = (head.len() as u32).to_le_bytes().to_vec();
    item.extend_from_slice(head);
    let header = match codec::take::<RankHeader>(&mut &item[..]) {
        Some(Ok(known)) => RankHeader { rows: header(0, 1, 0).rows, ..known },
        _ => header(0, 1, 0),
    };
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&VERSION.to_le_bytes());
    codec::append(&header, &mut file).expect("a header is always encodable");
    let mut at = file.len();
    file.extend_from_slice(blocks);
    while let Some(head) = file.get(at..at + BLOCK_HEADER_BYTES).and_then(|h| h.first_chunk())
        && let Some(known) = BlockHeader::from_bytes(head)
        && let payload = at + BLOCK_HEADER_BYTES
        && let Some(bytes) = file.get(payload..payload.saturating_add(known.len as usize))
    {
        let right = BlockHeader { checksum: checksum(bytes), ..known };
        file[at..payload].copy_from_slice(&right.to_bytes());
        at = payload + known.len as usize;
    }
    file
}
