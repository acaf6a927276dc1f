//! Names of processes: `rank 3` in the first world, `world 1 rank 0` in another.

use super::Process;
use std::collections::BTreeMap;
use trace_format::ranks::Ranks;

/// First process of each world.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    firsts: Vec<Process>,
}

/// Ranks of one world: `0-3,5`, `w1.0-2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    world: usize,
    ranks: Ranks,
}

impl std::str::FromStr for Chosen {
    type Err = String;

    fn from_str(text: &str) -> Result<Chosen, String> {
        let (world, ranks) = text.strip_prefix('w').and_then(|t| t.split_once('.')).unwrap_or(("0", text));
        let world = world.parse().map_err(|_| format!("`{text}` does not name ranks of a world, such as w1.0-3"))?;
        Ok(Chosen { world, ranks: ranks.parse()? })
    }
}

impl Names {
    /// The processes that are meant; an error says which there is not.
    pub fn processes(&self, chosen: &Chosen, there: &[Process]) -> Result<Vec<Process>, String> {
        let find = |rank: i32| {
            let process = there.iter().find(|p| self.of(**p) == (chosen.world, rank)).copied();
            process.ok_or_else(|| {
                let name = if chosen.world == 0 { rank.to_string() } else { format!("w{}.{rank}", chosen.world) };
                format!("there is no readable trace of rank {name}; there are those of {}", self.list(there))
            })
        };
        chosen.ranks.iter().map(find).collect()
    }

    /// Worlds of these sizes, in order.
    pub fn new(sizes: impl IntoIterator<Item = i32>) -> Names {
        let mut next = 0;
        let mut firsts = Vec::new();
        for size in sizes {
            firsts.push(next);
            next += size;
        }
        Names { firsts }
    }

    /// Number of worlds.
    pub fn count(&self) -> usize {
        self.firsts.len()
    }

    /// World and rank of a process.
    pub fn of(&self, process: Process) -> (usize, i32) {
        let world = self.firsts.partition_point(|f| *f <= process).saturating_sub(1);
        (world, process - self.firsts.get(world).copied().unwrap_or(0))
    }

    /// The process that is this rank of this world.
    pub fn process(&self, world: usize, rank: i32) -> Option<Process> {
        // Without worlds, ranks are the processes.
        let first = self.firsts.get(world).copied().or((world == 0).then_some(0))?;
        Some(first + rank)
    }

    /// `rank 3`, `ranks 0-3,7`, `rank 0 and world 1 ranks 0,1`.
    pub fn list(&self, processes: &[Process]) -> String {
        let mut worlds: BTreeMap<usize, Vec<i32>> = BTreeMap::new();
        for process in processes {
            let (world, rank) = self.of(*process);
            worlds.entry(world).or_default().push(rank);
        }
        let part = |(world, mut ranks): (usize, Vec<i32>)| {
            ranks.sort_unstable();
            ranks.dedup();
            let what = if ranks.len() == 1 { "rank" } else { "ranks" };
            let before = if world == 0 { String::new() } else { format!("world {world} ") };
            format!("{before}{what} {}", ranks.into_iter().collect::<Ranks>())
        };
        worlds.into_iter().map(part).collect::<Vec<_>>().join(" and ")
    }

    /// `3`, `w1.0`: as the readable notation writes it.
    pub fn short(&self, process: Process) -> String {
        match self.of(process) {
            (0, rank) => rank.to_string(),
            (world, rank) => format!("w{world}.{rank}"),
        }
    }

    /// Gives processes in a text their names: checks write `rank 4` and `ranks 4-6` with the numbers of processes, so
    /// that only this place knows of worlds. What is behind [`Names::KEEP`] is left as it is.
    pub fn rename(&self, text: &str) -> String {
        if self.firsts.len() < 2 {
            return text.replace(Names::KEEP, "");
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("rank") {
            let kept = rest.find(Names::KEEP).is_some_and(|k| k < at);
            let word_begins = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let behind = rest[at + 4..].strip_prefix('s').unwrap_or(&rest[at + 4..]);
            let list = behind.strip_prefix(' ').map(list_at_start).unwrap_or("");
            let ranks = list.parse::<Ranks>().ok().filter(|r| !r.is_empty() && word_begins);
            match ranks {
                Some(_) if kept => break,
                Some(ranks) => {
                    out.push_str(&rest[..at]);
                    out.push_str(&self.list(&ranks.iter().collect::<Vec<_>>()));
                    rest = &behind[1 + list.len()..];
                }
                None => {
                    out.push_str(&rest[..at + 4]);
                    rest = &rest[at + 4..];
                }
            }
        }
        out.push_str(rest);
        out.replace(Names::KEEP, "")
    }

    /// Marks the end of what [`Names::rename`] may change: text of others follows.
    pub const KEEP: char = '\u{2060}';
}

/// The list of numbers that a text begins with: `0-3,7`, `0-6:2`.
fn list_at_start(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | ',' | ':')).unwrap_or(text.len());
    text[..end].trim_end_matches(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_the_names_of_their_worlds() {
        let names = Names::new([2, 3, 1]);
        assert_eq!((names.of(1), names.of(2), names.of(5)), ((0, 1), (1, 0), (2, 0)));
        assert_eq!(names.list(&[0]), "rank 0");
        assert_eq!(names.list(&[1, 0, 2, 4, 3]), "ranks 0,1 and world 1 ranks 0-2");
        assert_eq!(names.short(4), "w1.2");
        assert_eq!(
            (0..6).map(|p| names.of(p)).filter_map(|(w, r)| names.process(w, r)).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5]
        );
    }

    #[test]
    fn ranks_of_a_world_are_chosen() {
        let names = Names::new([2, 3]);
        let choose = |text: &str| names.processes(&text.parse()?, &[0, 1, 2, 3, 4]);
        assert_eq!(choose("0,1"), Ok(vec![0, 1]));
        assert_eq!(choose("w1.0-2:2"), Ok(vec![2, 4]));
        assert!(choose("2").unwrap_err().contains("rank 2; there are those of ranks 0,1 and world 1 ranks 0-2"));
        assert!(choose("w2.0").unwrap_err().contains("rank w2.0"));
        assert!(choose("wx.0").is_err());
    }

    #[test]
    fn texts_get_names() {
        let names = Names::new([2, 3]);
        for (text, named) in [
            ("rank 0 sends 4 to rank 3, which", "rank 0 sends 4 to world 1 rank 1, which"),
            ("ranks 0-2: MPI_SUM, rank 4 MPI_MAX", "ranks 0,1 and world 1 rank 0: MPI_SUM, world 1 rank 2 MPI_MAX"),
            ("any rank, nrank 3, ranks", "any rank, nrank 3, ranks"),
            ("rank 2 failed\u{2060}: invalid rank 2", "world 1 rank 0 failed: invalid rank 2"),
            ("waits for rank 2.", "waits for world 1 rank 0."),
        ] {
            assert_eq!(names.rename(text), named);
        }
        assert_eq!(Names::new([9]).rename("rank 5\u{2060} x"), "rank 5 x");
    }
}
