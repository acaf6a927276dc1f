//! The folders of the interposer stand on each other.

use super::{files, only, text};
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;

/// From the lowest to the highest: a file imports from its own folder and from lower ones.
const ORDER: [&str; 11] =
    ["job", "debuggers", "mpi", "call", "precise", "pending", "state", "watch", "tool", "process", "entry"];

#[test]
fn folders_of_the_interposer_import_downwards() -> Result<()> {
    let height = |folder: &str| ORDER.iter().position(|f| *f == folder);
    let mut upwards = BTreeSet::new();
    for path in files("rs")? {
        let Some((folder, _)) = path.strip_prefix("interposer/src/").and_then(|p| p.split_once('/')) else { continue };
        let own = height(folder).with_context(|| format!("{folder} is not in the order of the folders"))?;
        let text = text(&path)?;
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for rest in code.flat_map(|line| line.split("crate::").skip(1)) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let other = height(&name).with_context(|| format!("{path} imports {name:?}, which is no folder"))?;
            if other > own {
                upwards.insert(path.clone());
            }
        }
    }
    only(upwards, &[])
}
