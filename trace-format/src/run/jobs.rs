//! The jobs of one command (`mpivet run --each`): each has a directory of its own in that of the command, with the file
//! `launch.json`, in which the first of its ranks says who started it.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io;
use std::path::{Path, PathBuf};

/// Environment variable: each job makes a directory of its own in `MPIVET_DIR`. Its value is the [`Root`] of all jobs.
pub const EACH: &str = "MPIVET_EACH";

/// The process that all jobs come from, as far as they run on its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its process id on `host`.
    pub pid: u32,
    /// Its start in clock ticks since boot.
    pub start: u64,
    /// Name of the host that it runs on.
    pub host: String,
}

impl std::fmt::Display for Root {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}.{}@{}", self.pid, self.start, self.host)
    }
}

impl std::str::FromStr for Root {
    type Err = ();

    fn from_str(text: &str) -> Result<Root, ()> {
        let (process, host) = text.split_once('@').ok_or(())?;
        let (pid, start) = process.split_once('.').ok_or(())?;
        Ok(Root { pid: pid.parse().map_err(drop)?, start: start.parse().map_err(drop)?, host: host.to_owned() })
    }
}

/// No file that describes a job or a command is larger.
const MAX_DESCRIPTION: u64 = 16 << 20;

/// The process that started a job: `launch.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Started {
    /// Where the launcher runs.
    pub host: String,
    /// The launcher, or the process itself where there is none; 0: not known, it is not below mpivet.
    pub pid: u32,
    /// Start of that process in clock ticks since boot; 0 where `pid` is.
    pub pid_start: u64,
    /// Its words; empty if it is not known.
    pub command: Vec<String>,
    /// The test that it belongs to, where the test driver says so.
    pub test: Option<String>,
    /// When the first rank got through MPI_Init, in nanoseconds since 1970.
    pub unix_ns: u64,
    /// mpivet stopped the job, since these ranks could never have gone on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<i32>,
}

impl Started {
    /// Nobody knows more than this who started it, or it was the same process.
    pub fn may_be(&self, other: &Started) -> bool {
        let who = |s: &Started| (s.host.clone(), s.pid, s.pid_start);
        self.pid == 0 || other.pid == 0 || who(self) == who(other)
    }
}

/// The facts that are said once of the whole command: `each.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wrapped {
    /// Words of the command behind `mpivet run --each`.
    pub command: Vec<String>,
}

impl Wrapped {
    /// `None`: the directory is not one of several jobs.
    pub fn read(dir: &Path) -> Option<Wrapped> {
        from_json(&dir.join("each.json"))
    }

    /// Writes `each.json` into the directory of the command.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        crate::owner_only::write_json(&dir.join("each.json"), self)
    }
}

fn from_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&crate::untrusted::read(path, MAX_DESCRIPTION).ok()?).ok()
}

/// `launch.json` of the job with this directory.
pub fn launch_path(dir: &Path) -> PathBuf {
    dir.join("launch.json")
}

/// The process that started the job with this directory.
pub fn started(dir: &Path) -> Option<Started> {
    from_json(&launch_path(dir))
}

/// Says who started the job with this directory, if nobody has; what holds then.
pub fn claim(dir: &Path, started: &Started) -> io::Result<Started> {
    crate::owner_only::make_dir(dir)?;
    let path = launch_path(dir);
    // Others see it whole or not at all.
    let new = dir.join(format!(".launch.{}.{}", started.host, std::process::id()));
    crate::owner_only::write_json(&new, started)?;
    let linked = std::fs::hard_link(&new, &path);
    let done = match &linked {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists && !path.exists() => std::fs::rename(&new, &path),
        _ => Ok(()),
    };
    let first = self::started(dir);
    // A rank on another node does not know who started it.
    if first.as_ref().is_some_and(|first| first.pid == 0 && started.pid != 0) {
        std::fs::rename(&new, &path)?;
    }
    _ = std::fs::remove_file(&new);
    done?;
    Ok(first.filter(|first| first.pid != 0).unwrap_or_else(|| started.clone()))
}

/// Says of the job with this directory that it was stopped because of these ranks.
pub fn set_stopped(dir: &Path, started: &Started, ranks: &[i32]) -> io::Result<()> {
    let new = dir.join(".launch.new");
    let started = Started { stopped: ranks.to_vec(), ..started.clone() };
    crate::owner_only::write_json(&new, &started)?;
    std::fs::rename(&new, launch_path(dir))
}

/// The jobs of a directory by the name of theirs, in the order of their start.
pub fn jobs_in(dir: &Path) -> io::Result<Vec<(String, Started)>> {
    jobs_but(dir, |_| false)
}

/// The jobs apart from those that are known.
pub fn jobs_but(dir: &Path, known: impl Fn(&str) -> bool) -> io::Result<Vec<(String, Started)>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with("job-") && !known(&name) {
            all.extend(started(&dir.join(&name)).map(|started| (name, started)));
        }
    }
    all.sort_by(|a, b| (a.1.unix_ns, &a.0).cmp(&(b.1.unix_ns, &b.0)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(pid: u32, unix_ns: u64) -> Started {
        Started { host: "here".into(), pid, pid_start: 7, unix_ns, ..Started::default() }
    }

    #[test]
    fn the_root_is_passed_on() {
        let root = Root { pid: 4711, start: 12, host: "node-1.a@b".into() };
        assert_eq!(root.to_string().parse(), Ok(root));
        assert_eq!("1.2".parse::<Root>(), Err(()));
        assert_eq!("1@here".parse::<Root>(), Err(()));
    }

    #[test]
    fn the_first_says_who_started_the_job() {
        let dir = std::env::temp_dir().join(format!("mpivet-several-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&dir);
        let job = |name: &str| dir.join(name);
        assert_eq!(claim(&job("job-b"), &by(0, 5)).unwrap(), by(0, 5));
        assert_eq!(claim(&job("job-b"), &by(2, 6)).unwrap(), by(2, 6));
        assert_eq!(claim(&job("job-b"), &by(0, 9)).unwrap(), by(2, 6));
        assert_eq!(claim(&job("job-b"), &by(3, 4)).unwrap(), by(2, 6));
        assert_eq!(claim(&job("job-a"), &by(3, 1)).unwrap(), by(3, 1));
        assert!(by(2, 6).may_be(&by(0, 1)) && by(2, 6).may_be(&by(2, 1)) && !by(2, 6).may_be(&by(3, 6)));
        std::fs::create_dir(job("job-c")).unwrap();
        let names: Vec<_> = jobs_in(&dir).unwrap().into_iter().map(|j| j.0).collect();
        assert_eq!(names, ["job-a", "job-b"]);
        let files = |name: &str| std::fs::read_dir(job(name)).unwrap().count();
        assert_eq!((files("job-a"), files("job-b")), (1, 1));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
