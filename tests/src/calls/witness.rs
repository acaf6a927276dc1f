//! The record that a program keeps of itself: one file a rank.

use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// Values of one rank.
#[derive(Debug, Default)]
pub struct Witness {
    /// Values of constants of MPI, and addresses of variables.
    named: BTreeMap<(String, String), i64>,
    /// The values of a parameter before (`in`) or after (`out`) the call in a line of the scenario.
    values: BTreeMap<(String, usize, String), Vec<i64>>,
    texts: BTreeMap<(String, usize, String), String>,
}

impl Witness {
    /// The witnesses of all ranks: the files `prefix.PID`.
    pub fn read_all(prefix: &Path) -> Result<BTreeMap<i32, Witness>> {
        let (dir, stem) = (prefix.parent().context("a directory")?, prefix.file_name().context("a name")?);
        let stem = format!("{}.", stem.to_string_lossy());
        let mut found = BTreeMap::new();
        for entry in std::fs::read_dir(dir)? {
            let path = entry?.path();
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if name.strip_prefix(&stem).is_some_and(|rest| rest.parse::<u32>().is_ok()) {
                let (rank, witness) = Witness::parse(&std::fs::read_to_string(&path)?)
                    .with_context(|| format!("in {}", path.display()))?;
                ensure!(found.insert(rank, witness).is_none(), "two processes are rank {rank}");
            }
        }
        Ok(found)
    }

    /// Reads the witness of one rank; the rank comes first.
    pub(super) fn parse(text: &str) -> Result<(i32, Witness)> {
        let mut witness = Witness::default();
        let mut rank = None;
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some(what), Some(number), Some(name)) = (words.next(), words.next(), words.next()) else { continue };
            let key = (what.to_owned(), number.parse()?, name.to_owned());
            if what.ends_with("-text") {
                witness.texts.insert(key, hex(words.next().unwrap_or_default())?);
                continue;
            }
            let values: Vec<i64> = words.map(str::parse).collect::<Result<_, _>>()?;
            match (what, values.as_slice()) {
                ("const" | "addr", [value]) => _ = witness.named.insert((what.to_owned(), name.to_owned()), *value),
                ("rank", [value]) => rank = Some(i32::try_from(*value)?),
                _ => _ = witness.values.insert(key, values),
            }
        }
        Ok((rank.context("the program did not come to its end")?, witness))
    }

    pub fn constant(&self, name: &str) -> Option<i64> {
        self.named.get(&("const".into(), name.into())).copied()
    }

    pub fn address(&self, name: &str) -> Option<i64> {
        self.named.get(&("addr".into(), name.into())).copied()
    }

    pub fn values(&self, when: &str, line: usize, param: &str) -> Option<&[i64]> {
        self.values.get(&(when.into(), line, param.into())).map(Vec::as_slice)
    }

    pub fn text(&self, when: &str, line: usize, param: &str) -> Option<&str> {
        self.texts.get(&(format!("{when}-text"), line, param.into())).map(String::as_str)
    }

    /// Number of repetitions of the call in a line.
    pub fn times(&self, line: usize) -> Option<u64> {
        self.values("times", line, "-").and_then(|v| v.first()).map(|v| v.unsigned_abs())
    }
}

fn hex(text: &str) -> Result<String> {
    let bytes = text.as_bytes().chunks(2).map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?));
    Ok(String::from_utf8_lossy(&bytes.collect::<Result<Vec<u8>>>()?).into_owned())
}
