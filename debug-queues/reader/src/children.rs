//! The processes that a process has started, directly or by others: the ranks of a launcher.

use crate::process::stat;
use std::collections::BTreeMap;

/// All living descendants of `pid`, without itself, by number.
pub fn descendants(pid: i32) -> Vec<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in all.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok()) {
        if let Some(stat) = stat(process) {
            children.entry(stat.parent.cast_signed()).or_default().push(process);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![pid];
    while let Some(parent) = open.pop() {
        let its = children.remove(&parent).unwrap_or_default();
        found.extend(&its);
        open.extend(its);
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grandchildren_are_found() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let pid = child.id() as i32;
        let grandchild = loop {
            if let [one] = descendants(pid)[..] {
                break one;
            }
            assert!(std::time::Instant::now() < until);
            std::thread::yield_now();
        };
        let mine = descendants(std::process::id() as i32);
        assert!(mine.contains(&pid) && mine.contains(&grandchild));
        _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(grandchild), nix::sys::signal::Signal::SIGKILL);
        _ = child.wait();
    }
}
