//! Directories on sshfs, where nodes see late what others store: with agents, which bring the traces another way, and by files
//! alone. And what launchers say of processes that nobody else sees.

use super::{Job, LIMIT, NODES, Scene};
use anyhow::{Result, ensure};
use mpivet_tests::run::{Outcome, run};
use std::path::PathBuf;

pub(super) const SCENES: [(&str, Scene); 2] =
    [("late: a directory on sshfs", with_agents), ("late: sshfs, and no way for agents", a_circle_by_files)];

/// They take long, or ask for little that the others do not.
pub(super) const ONLY_IN_FULL: [(&str, Scene); 3] = [
    ("late: sshfs, no way for agents, and a rank is killed", killed),
    ("late: mpivet is where the directory is seen late", from_afar),
    ("late: launchers tell who was killed", told),
];

/// A directory of one node that the others have by sshfs, until this is dropped.
struct Late<'a> {
    job: &'a Job<'a>,
    place: PathBuf,
}

impl<'a> Late<'a> {
    /// `None`: there is no sshfs here, which is said. `number`: of the node that has the directory.
    fn new(job: &'a Job<'a>, number: u32) -> Result<Option<Late<'a>>> {
        let (place, server) = (job.dir.join("sshfs"), format!("node{number}"));
        std::fs::create_dir_all(&place)?;
        let late = Late { job, place };
        let (shown, origin) = (late.place.display().to_string(), format!("/tmp/sshfs-{}", job.mpi.name));
        job.cluster.says(&server, &["rm", "-rf", &origin])?;
        job.cluster.says(&server, &["mkdir", "-p", &origin])?;
        let config = job.cluster.directory().join("ssh_config").display().to_string();
        let far = format!("10.77.0.{number}:{origin}");
        for node in NODES {
            let words = match node == server {
                true => &["mount", "--bind", &origin, &shown][..],
                false => &["sshfs", "-F", &config, &far, &shown, "-o", "allow_other"],
            };
            let said = job.cluster.says(node, words)?;
            if said.code != Some(0) && words[0] == "sshfs" {
                println!("skipped: sshfs cannot be used here: {}", said.stderr.trim());
                return Ok(None);
            }
            ensure!(said.code == Some(0), "{}", said.stderr);
        }
        Ok(Some(late))
    }

    /// `mpivet run` on a node, with a trace of this name.
    fn run(&self, node: &str, name: &str, job: &[String]) -> Result<Outcome> {
        let dir = self.place.join(name).display().to_string();
        let words = ["run", "--dir", &dir, "--"].into_iter().chain(job.iter().map(String::as_str));
        run(self.job.mpivet(node, &words.collect::<Vec<_>>())?, LIMIT)
    }
}

impl Drop for Late<'_> {
    fn drop(&mut self) {
        for node in NODES {
            _ = self.job.cluster.says(node, &["umount", "-l", &self.place.display().to_string()]);
        }
    }
}

/// `srun`, of whose ranks no agent finds its way.
fn cut_off(job: &Job, options: &[&str], mode: &str) -> Vec<String> {
    let nowhere = ["env", "MPIVET_HUB=127.0.0.1:9"];
    job.srun(&[options, &nowhere].concat(), &[mode])
}

fn with_agents(job: &Job) -> Result<()> {
    let Some(late) = Late::new(job, 1)? else { return Ok(()) };
    for mode in ["circle", "send"] {
        let outcome = late.run("node1", mode, &job.srun(&["-N3", "-n6"], &[mode]))?;
        job.ensure_stopped(mode, &outcome, "real-deadlock: ranks 0-5 wait for each other")?;
        ensure!(!outcome.stderr.contains("without agents that tell it"), "{}", outcome.stderr);
        // The report can be made again from what is there.
        let again = run(job.mpivet("node1", &["analyze", &late.place.join(mode).display().to_string()])?, LIMIT)?;
        ensure!(again.code == Some(1) && again.stdout.contains("real-deadlock"), "{}{}", again.stdout, again.stderr);
    }
    // Jobs under MPICH may not come to their end.
    if job.mpi.is("openmpi") {
        let Outcome { code, stderr, .. } = late.run("node1", "mixed", &job.srun(&["-N3", "-n6"], &["mixed"]))?;
        let words = "rank 0 sends MPI_INT to rank 5, which receives MPI_FLOAT";
        ensure!(code == Some(1) && stderr.contains(words) && stderr.contains("6 ranks"), "{code:?}\n{stderr}");
    }
    Ok(())
}

fn a_circle_by_files(job: &Job) -> Result<()> {
    let Some(late) = Late::new(job, 1)? else { return Ok(()) };
    let outcome = late.run("node1", "circle", &cut_off(job, &["-N3", "-n6"], "circle"))?;
    job.ensure_stopped("circle", &outcome, "real-deadlock: ranks 0-5 wait for each other")?;
    if job.mpi.is("openmpi") {
        let Outcome { code, stderr, .. } = late.run("node1", "right", &cut_off(job, &["-N3", "-n6"], "right"))?;
        ensure!(code == Some(0) && stderr.contains("no errors found"), "{code:?}\n{stderr}");
    }
    Ok(())
}

fn killed(job: &Job) -> Result<()> {
    let Some(late) = Late::new(job, 1)? else { return Ok(()) };
    let Outcome { code, stderr, .. } = late.run("node1", "killed", &cut_off(job, &["-N3", "-n6"], "killed"))?;
    let words = ["abort: rank 5 was ended from outside", "rank 5 ran on node3: it was killed by SIGKILL"];
    ensure!(code == Some(1) && words.iter().all(|words| stderr.contains(words)), "{code:?}\n{stderr}");
    ensure!(stderr.contains("what ranks do there is seen when they rest"), "{stderr}");
    Ok(())
}

/// The directory is of node1, where ranks are, and mpivet runs on node2.
fn from_afar(job: &Job) -> Result<()> {
    let Some(late) = Late::new(job, 1)? else { return Ok(()) };
    let options = ["-w", "node1,node3", "-N2", "-n4"];
    for (name, words) in [("agents", job.srun(&options, &["circle"])), ("files", cut_off(job, &options, "circle"))] {
        let outcome = late.run("node2", name, &words)?;
        job.ensure_stopped(name, &outcome, "real-deadlock: ranks 0-3 wait for each other")?;
    }
    if job.mpi.is("openmpi") {
        for (name, words) in
            [("right-agents", job.srun(&options, &["right"])), ("right-files", cut_off(job, &options, "right"))]
        {
            let Outcome { code, stderr, .. } = late.run("node2", name, &words)?;
            ensure!(code == Some(0) && stderr.contains("no errors found"), "{name}: {code:?}\n{stderr}");
        }
    }
    Ok(())
}

/// Without agents, where the output goes to a file.
fn told(job: &Job) -> Result<()> {
    for (name, words) in
        [("srun", job.srun(&["-N3", "-n6", "--kill-on-bad-exit"], &["killed"])), ("ssh", job.over_ssh("killed"))]
    {
        let mpivet = mpivet_tests::vet::command()?.get_program().to_string_lossy().into_owned();
        let trace = job.dir.join(format!("told-{name}"));
        _ = std::fs::remove_dir_all(&trace);
        let (trace, said) = (trace.display().to_string(), job.dir.join("told"));
        let script = format!("exec \"$0\" \"$@\" >{} 2>&1", said.display());
        let all = ["sh", "-c", &script, &mpivet, "run", "--no-agents", "--dir", &trace, "--"];
        let mut command =
            job.cluster.on("node1", &all.into_iter().chain(words.iter().map(String::as_str)).collect::<Vec<_>>());
        mpivet_tests::mpi::Mpi::prepare(&mut command);
        let outcome = run(command, LIMIT)?;
        let stderr = std::fs::read_to_string(said)?;
        let words = "rank 5 on node3 ended first, as the launcher says: it was killed by SIGKILL";
        ensure!(outcome.code == Some(1) && stderr.contains(words), "{name}: {:?}\n{stderr}", outcome.code);
    }
    Ok(())
}
