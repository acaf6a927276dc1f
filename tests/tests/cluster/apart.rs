//! Jobs whose nodes share no directory for the traces: agents bring these to `mpivet run`, look at processes there, and leave
//! nothing behind.

use super::{Job, LIMIT, NODES, Scene};
use anyhow::{Result, ensure};
use mpivet_tests::run::{Background, Outcome, run};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(super) const TO_THE_END: [(&str, Scene); 4] = [
    ("apart: a correct job, wrong types, and several jobs", to_the_end),
    ("apart: without agents", without_agents),
    ("apart: mpivet is killed", mpivet_is_killed),
    ("apart: message queues of all nodes", queues),
];

pub(super) const BROKEN_OFF: [(&str, Scene); 3] = [
    ("apart: deadlocks", deadlocks),
    ("apart: launched over ssh", over_ssh),
    ("apart: a rank is killed on another node", killed),
];

/// They need a Slurm of their own.
pub(super) const ONLY_IN_FULL: [(&str, Scene); 2] = [
    ("apart: Slurm ends what is left of a step", with_cgroups),
    ("apart: stages of each node, and common traces", stages),
];

/// A directory that each node has for itself, until this is dropped.
struct Apart<'a> {
    job: &'a Job<'a>,
    place: PathBuf,
    _mounted: Mounted<'a>,
}

impl<'a> Apart<'a> {
    fn new(job: &'a Job<'a>) -> Result<Apart<'a>> {
        let own = job.dir.join("own");
        std::fs::create_dir_all(&own)?;
        let place = own.display().to_string();
        let apart = Apart { job, place: own, _mounted: Mounted { job, place: place.clone() } };
        for node in NODES {
            let mounted = job.cluster.says(node, &["mount", "-t", "tmpfs", "tmpfs", &place])?;
            ensure!(mounted.code == Some(0), "{}", mounted.stderr);
        }
        Ok(apart)
    }

    fn run(&self, job: &[String]) -> Result<Outcome> {
        run(self.job.run_in(&self.place.join("above/trace"), job)?, LIMIT)
    }

    /// Neither traces nor agents are left on the other nodes.
    fn ensure_clean(&self, what: &str) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let mut left = Vec::new();
            for node in &NODES[1..] {
                let place = self.place.display().to_string();
                left.push(self.job.cluster.says(node, &["ls", &place])?.stdout);
                left.push(self.job.cluster.says(node, &["pgrep", "-fa", "mpivet agent"])?.stdout);
            }
            let left = left.concat();
            if left.is_empty() {
                return Ok(());
            }
            ensure!(Instant::now() < until, "{what}: left on other nodes: {left}");
        }
    }
}

fn to_the_end(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let Outcome { code, stderr, .. } = apart.run(&job.srun(&["-N3", "-n6"], &["right"]))?;
    ensure!(code == Some(0) && stderr.contains("no errors found"), "{code:?}\n{stderr}");
    ensure!(stderr.contains("ranks 0-5: ended normally") && !stderr.contains("not come whole"), "{stderr}");
    apart.ensure_clean("a correct job")?;
    let mixed = apart.run(&job.srun(&["-N3", "-n6", "--export=NONE"], &["mixed"]))?;
    let words = "rank 0 sends MPI_INT to rank 5, which receives MPI_FLOAT";
    ensure!(mixed.code == Some(1) && mixed.stderr.contains(words), "{:?}\n{}", mixed.code, mixed.stderr);
    apart.ensure_clean("wrong types")?;
    // Each job of a command has a directory of its own, and an agent of its own if the one before has left.
    let jobs = ["right", "mixed"].map(|mode| job.srun(&["-N3", "-n6"], &[mode]).join(" "));
    let dir = apart.place.join("each").display().to_string();
    let words = ["run", "--each", "--keep", "always", "--dir", &dir, "--", "bash", "-c", &jobs.join("; ")];
    let Outcome { code, stderr, .. } = run(job.mpivet("node1", &words)?, LIMIT)?;
    ensure!(code == Some(1) && stderr.contains("2 jobs") && stderr.contains("= in job 2"), "{code:?}\n{stderr}");
    apart.ensure_clean("several jobs")
}

fn deadlocks(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    for (mode, words) in [
        ("circle", "real-deadlock: ranks 0-5 wait for each other"),
        // The library might buffer each of these: the processes are looked at.
        ("send", "real-deadlock: ranks 0-5 wait for each other"),
        ("pair", "real-deadlock: ranks 0,1 wait for each other"),
    ] {
        let outcome = apart.run(&job.srun(&["-N3", "-n6"], &[mode]))?;
        job.ensure_stopped(mode, &outcome, words)?;
        apart.ensure_clean(mode)?;
    }
    // No rank is on the node of mpivet.
    let outcome = apart.run(&job.srun(&["-w", "node2,node3", "-N2", "-n4"], &["send"]))?;
    job.ensure_stopped("login", &outcome, "real-deadlock: ranks 0-3 wait for each other")?;
    apart.ensure_clean("login")
}

fn over_ssh(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let outcome = apart.run(&job.over_ssh("send"))?;
    job.ensure_stopped("ssh", &outcome, "real-deadlock: ranks 0-5 wait for each other")?;
    apart.ensure_clean("ssh")
}

struct Mounted<'a> {
    job: &'a Job<'a>,
    place: String,
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        for node in NODES {
            _ = self.job.cluster.says(node, &["umount", "-l", &self.place]);
        }
    }
}

fn killed(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let Outcome { code, stderr, .. } = apart.run(&job.srun(&["-N3", "-n6"], &["killed"]))?;
    let words = ["abort: rank 5 was ended from outside", "rank 5 ran on node3: it was killed by SIGKILL"];
    ensure!(code == Some(1) && words.iter().all(|words| stderr.contains(words)), "{code:?}\n{stderr}");
    apart.ensure_clean("killed")
}

fn without_agents(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let words = job.srun(&["-N3", "-n6"], &["right"]);
    let mut command = job.run_in(&apart.place.join("trace"), &words)?;
    command.env("MPIVET_NO_AGENTS", "1");
    let Outcome { code, stderr, .. } = run(command, LIMIT)?;
    ensure!(code == Some(3) && stderr.contains("no trace of ranks"), "{code:?}\n{stderr}");
    for node in &NODES[1..] {
        let words = format!("{}/trace on {node} is not the directory of that name on node1", apart.place.display());
        ensure!(stderr.matches(&words).count() == 1, "{words}\n{stderr}");
    }
    Ok(())
}

/// The job goes on, the agents go, and the traces stay where they are.
fn mpivet_is_killed(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let words = job.srun(&["-N3", "-n6"], &["long", "6"]);
    let running = Background::start(job.run_in(&apart.place.join("trace"), &words)?)?;
    let agents = || -> Result<usize> {
        let all = NODES[1..].iter().map(|node| job.cluster.says(node, &["pgrep", "-f", "mpivet agent"]));
        Ok(all.collect::<Result<Vec<_>>>()?.iter().map(|said| said.stdout.lines().count()).sum())
    };
    let until = Instant::now() + Duration::from_secs(20);
    while agents()? < 2 || job.left()?.len() < 6 {
        ensure!(Instant::now() < until, "there are {} agents and {} ranks", agents()?, job.left()?.len());
    }
    // The ranks are through MPI_Init.
    std::thread::sleep(Duration::from_secs(1));
    job.cluster.says("node1", &["pkill", "-9", "-f", "mpivet run"])?;
    while agents()? > 0 {
        ensure!(Instant::now() < until, "agents are left");
    }
    ensure!(job.left()?.len() == 6, "ranks have ended: {:?}", job.left()?);
    while !job.left()?.is_empty() {
        ensure!(Instant::now() < until, "ranks do not end");
    }
    let trace = apart.place.join("trace/rank-5.mpv").display().to_string();
    ensure!(job.cluster.says("node3", &["ls", &trace])?.code == Some(0), "the trace is gone");
    drop(running);
    Ok(())
}

/// Asked on the host of `mpivet run`, and on one where no directory is.
fn queues(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let words = job.srun(&["-N3", "-n6"], &["circle"]);
    let mut command = job.run_in(&apart.place.join("trace"), &words)?;
    command.env("MPIVET_NO_STOP", "1");
    let running = Background::start(command)?;
    let trace = apart.place.join("trace").display().to_string();
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let Outcome { code, stdout, stderr, .. } = run(job.mpivet("node1", &["queues", "--job", &trace])?, LIMIT)?;
        let ranks: Vec<String> = (0..6).map(|rank| format!("rank {rank}")).collect();
        let has_all = ranks.iter().all(|rank| stdout.contains(rank.as_str()));
        if has_all && code == Some(1) && stdout.contains(" on node2") && stdout.contains(" on node3") {
            break;
        }
        ensure!(Instant::now() < until, "{code:?}\n{stdout}\n{stderr}");
    }
    job.end_all()?;
    drop(running);
    Ok(())
}

/// Stages are in memory of each node; agents bring them, or store what they hold.
fn stages(job: &Job) -> Result<()> {
    let apart = Apart::new(job)?;
    let own = apart.place.display().to_string();
    for (name, hub) in [("with a way for agents", None), ("without", Some("MPIVET_HUB=127.0.0.1:9"))] {
        let options: Vec<&str> = ["-N3", "-n6"].into_iter().chain(["env"]).chain(hub).collect();
        let mut command = job.run_in(&job.dir.join("stages"), &job.srun(&options, &["circle"]))?;
        command.env("MPIVET_STAGE_DIR", &own);
        let outcome = run(command, LIMIT)?;
        job.ensure_stopped(name, &outcome, "real-deadlock: ranks 0-5 wait for each other")?;
        ensure!(!outcome.stderr.contains("its last calls are in"), "{name}: {}", outcome.stderr);
        apart.ensure_clean(name)?;
    }
    Ok(())
}

/// With cgroups, an agent is ended with the last process of the step on its node.
fn with_cgroups(job: &Job) -> Result<()> {
    let anew = |slurm: &[&str]| {
        job.cluster.own(&["down"])?;
        job.cluster.own(&["up", "3", "--share-tmp"])?;
        job.cluster.own(slurm)
    };
    if let Err(why) = anew(&["slurm", "--cgroup"]) {
        println!("skipped: no cgroups: {why:#}");
        return anew(&["slurm"]);
    }
    {
        let apart = Apart::new(job)?;
        let modes = if job.mpi.is("openmpi") { &["right", "mixed"][..] } else { &[] };
        for mode in modes {
            let Outcome { code, stderr, .. } = apart.run(&job.srun(&["-N3", "-n6"], &[mode]))?;
            let is_right = code == Some(i32::from(*mode == "mixed")) && stderr.contains("ranks 0-5: ended normally");
            ensure!(is_right && !stderr.contains("not come whole"), "{mode}: {code:?}\n{stderr}");
            apart.ensure_clean(mode)?;
        }
        let outcome = apart.run(&job.srun(&["-N3", "-n6"], &["send"]))?;
        job.ensure_stopped("send", &outcome, "real-deadlock: ranks 0-5 wait for each other")?;
        // The agent may be killed with the rank before it can tell: then another one tells that the rank is gone.
        let Outcome { code, stderr, .. } = apart.run(&job.srun(&["-N3", "-n6"], &["killed"]))?;
        ensure!(code == Some(1) && stderr.contains("MV002"), "{code:?}\n{stderr}");
    }
    anew(&["slurm"])
}
