//! Serialization of definitions and headers. The only module that knows bincode; its options are part of the file
//! format: variable-length integers, a size limit, no trailing bytes.

use bincode::Options;
use serde::{Serialize, de::DeserializeOwned};

/// No encoded item is longer than this; a length beyond it is damage.
pub const MAX_ITEM_BYTES: u64 = 256 << 20;

/// An item could not be encoded or decoded.
#[derive(Debug, thiserror::Error)]
#[error("damaged item: {0}")]
pub struct CodecError(#[from] bincode::Error);

fn options() -> impl Options {
    bincode::DefaultOptions::new().with_varint_encoding().with_limit(MAX_ITEM_BYTES)
}

/// Appends `value` to `out`, behind its length as a little-endian u32.
pub fn append<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    options().serialize_into(&mut *out, value)?;
    let len = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    Ok(())
}

/// Takes one item, as written by [`append`], off the front of `bytes`. `None` at the end of `bytes`.
pub fn take<T: DeserializeOwned>(bytes: &mut &[u8]) -> Option<Result<T, CodecError>> {
    if bytes.is_empty() {
        return None;
    }
    let torn = || CodecError(Box::new(bincode::ErrorKind::Custom("item is cut off".into())));
    let Some((len, rest)) = bytes.split_first_chunk::<4>() else {
        *bytes = &[];
        return Some(Err(torn()));
    };
    let len = u32::from_le_bytes(*len) as usize;
    if rest.len() < len {
        *bytes = &[];
        return Some(Err(torn()));
    }
    let (item, rest) = rest.split_at(len);
    *bytes = rest;
    Some(options().deserialize(item).map_err(CodecError))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Definition;

    #[test]
    fn definitions_survive_and_damage_is_an_error() {
        let def = Definition::Stack { id: 7, frames: vec![1, u64::MAX] };
        let mut bytes = Vec::new();
        append(&def, &mut bytes).unwrap();
        append(&def, &mut bytes).unwrap();
        let mut rest = &bytes[..];
        assert_eq!(take::<Definition>(&mut rest).unwrap().unwrap(), def);
        assert_eq!(take::<Definition>(&mut rest).unwrap().unwrap(), def);
        assert!(take::<Definition>(&mut rest).is_none());
        for cut in 1..bytes.len() / 2 {
            let mut rest = &bytes[..cut];
            assert!(take::<Definition>(&mut rest).unwrap().is_err());
        }
    }
}
