//! Jobs that span nodes: three nodes in namespaces of this machine, with ssh and Slurm (`tests/cluster/README.md`). Where they
//! cannot be made, nothing is tested, and the test says why. `MPIVET_TEST_SCENE=WORDS`: the scenes with these words in their names.

#[path = "cluster/apart.rs"]
mod apart;
#[path = "cluster/late.rs"]
mod late;
#[path = "cluster/launchers.rs"]
mod launchers;
#[path = "cluster/together.rs"]
mod together;

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::run::{Outcome, run};
use mpivet_tests::share::Turn;
use mpivet_tests::{mpi, root, scratch, share, vet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const NODES: [&str; 3] = ["node1", "node2", "node3"];
const LIMIT: Duration = Duration::from_secs(60);
/// The limit of jobs that end by something that happens to them.
const TO_THE_END_LIMIT: Duration = Duration::from_secs(160);
/// From the start of a job to the end of mpivet, where a deadlock is certain. Libraries take up to two seconds to start.
const SOON: Duration = Duration::from_secs(20);

/// The nodes, until this is dropped.
struct Cluster {
    script: PathBuf,
    /// One test at a time has them, whichever checkout it comes from.
    _lock: File,
}

impl Cluster {
    /// Makes them; the error says why that is not possible.
    fn up() -> Result<Cluster> {
        let lock = File::create("/run/mpivet-test-cluster.lock").context("needs root")?;
        lock.lock()?;
        let cluster = Cluster { script: root().join("tests/cluster/cluster"), _lock: lock };
        cluster.own(&["up", "3", "--share-tmp"])?;
        cluster.own(&["slurm"])?;
        Ok(cluster)
    }

    /// A command of the script itself.
    fn own(&self, words: &[&str]) -> Result<()> {
        let said = scratch().join("cluster.log");
        std::fs::create_dir_all(scratch())?;
        let mut command = Command::new(&self.script);
        // Daemons keep what they are given.
        command
            .args(words)
            .stdin(Stdio::null())
            .stdout(File::create(&said)?)
            .stderr(File::options().append(true).open(&said)?);
        let status = command.status()?;
        ensure!(status.success(), "{}", std::fs::read_to_string(said)?.trim());
        Ok(())
    }

    /// Where the script keeps what it needs.
    fn directory(&self) -> PathBuf {
        std::env::var_os("CLUSTER_DIR").map_or("/run/mpi-cluster".into(), PathBuf::from)
    }

    /// A command on a node.
    fn on(&self, node: &str, words: &[&str]) -> Command {
        let mut command = Command::new(&self.script);
        command.args(["exec", node]).args(words);
        command
    }

    fn says(&self, node: &str, words: &[&str]) -> Result<Outcome> {
        // File systems that it mounts have processes, which stay.
        run(self.on(node, &[&["env", "-u", "MPIVET_TEST_RUN"], words].concat()), LIMIT)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        _ = self.own(&["down"]);
    }
}

/// A program under one MPI, on the nodes.
struct Job<'a> {
    cluster: &'a Cluster,
    mpi: &'a Mpi,
    program: PathBuf,
    dir: PathBuf,
}

impl Job<'_> {
    fn trace(&self) -> PathBuf {
        self.dir.join("trace")
    }

    /// `srun` with these options.
    fn srun(&self, options: &[&str], mode: &[&str]) -> Vec<String> {
        let program = self.program.display().to_string();
        self.srun_of(options, &[&[&*program], mode].concat())
    }

    /// `srun` with these options, of another program.
    fn srun_of(&self, options: &[&str], program: &[&str]) -> Vec<String> {
        let interface = if self.mpi.is("openmpi") { "--mpi=pmix" } else { "--mpi=pmi2" };
        [&["srun", interface], options, program].concat().into_iter().map(str::to_owned).collect()
    }

    /// The MPI's own launcher, over ssh.
    fn over_ssh(&self, mode: &str) -> Vec<String> {
        self.over_ssh_of(&[&self.program.display().to_string(), mode])
    }

    /// The MPI's own launcher, over ssh, of another program.
    fn over_ssh_of(&self, program: &[&str]) -> Vec<String> {
        let shell = root().join("tests/cluster/rsh").display().to_string();
        let hosts = "10.77.0.1:2,10.77.0.2:2,10.77.0.3:2";
        let words = match self.mpi.is("openmpi") {
            true => format!(
                "mpirun.openmpi --mca plm_rsh_agent {shell} -H {hosts} --mca oob_tcp_if_include 10.77.0.0/24 \
                 --mca btl_tcp_if_include 10.77.0.0/24 --mca btl self,vader,tcp --mca pml ob1 -n 6"
            ),
            false => format!("mpiexec.mpich -launcher ssh -launcher-exec {shell} -hosts {hosts} -n 6"),
        };
        words.split(' ').chain(program.iter().copied()).map(str::to_owned).collect()
    }

    /// `mpivet` with these words, on a node.
    fn mpivet(&self, node: &str, words: &[&str]) -> Result<Command> {
        let mpivet = vet::command()?;
        let program = mpivet.get_program().to_str().context("no name")?;
        let mut command = self.cluster.on(node, &[&[program], words].concat());
        Mpi::prepare(&mut command);
        command.current_dir(&self.dir);
        Ok(command)
    }

    /// `mpivet run` on the first node, with the trace in `dir`.
    fn run_in(&self, dir: &Path, job: &[String]) -> Result<Command> {
        self.cluster.says("node1", &["rm", "-rf", &dir.display().to_string()])?;
        let dir = dir.display().to_string();
        let words = ["run", "--keep", "always", "--dir", &dir, "--"].into_iter().chain(job.iter().map(String::as_str));
        self.mpivet("node1", &words.collect::<Vec<_>>())
    }

    fn run(&self, job: &[String]) -> Result<Outcome> {
        run(self.run_in(&self.trace(), job)?, LIMIT)
    }

    fn end_all(&self) -> Result<()> {
        self.cluster.says("node1", &["scancel", "--user=root"])?;
        let pattern = self.program.display().to_string();
        NODES.iter().try_for_each(|node| self.cluster.says(node, &["pkill", "-9", "-f", &pattern]).map(drop))
    }

    /// Ranks that are left on the nodes.
    fn left(&self) -> Result<Vec<String>> {
        let pattern = format!("^{}", self.program.display());
        let all = NODES.iter().map(|node| self.cluster.says(node, &["pgrep", "-fa", &pattern]));
        let all: Vec<Outcome> = all.collect::<Result<_>>()?;
        Ok(all.iter().flat_map(|said| said.stdout.lines().map(str::to_owned)).collect())
    }

    /// A deadlock that mpivet has told and ended.
    fn ensure_stopped(&self, what: &str, outcome: &Outcome, words: &str) -> Result<()> {
        let Outcome { code, stderr, elapsed, .. } = outcome;
        ensure!(*code == Some(1) && stderr.contains(words), "{what}: {code:?}: no {words}\n{stderr}");
        ensure!(stderr.contains("mpivet stopped the job"), "{what}: not stopped\n{stderr}");
        ensure!(*elapsed < SOON, "{what}: {elapsed:?}");
        let until = Instant::now() + Duration::from_secs(10);
        while !self.left()?.is_empty() {
            ensure!(Instant::now() < until, "{what}: left over: {:?}", self.left()?);
        }
        Ok(())
    }
}

#[test]
fn jobs_over_nodes_are_watched_as_those_on_one() -> Result<()> {
    let cluster = match Cluster::up() {
        Ok(cluster) => cluster,
        Err(why) => {
            println!("skipped: no nodes can be made here: {why:#}");
            return Ok(());
        }
    };
    let turn = Turn::now().lasting(mpi::required().len() as u64);
    let is_full = std::env::var_os("MPIVET_TEST_FULL").is_some();
    let wanted = std::env::var("MPIVET_TEST_SCENE").ok();
    for mpi in share::mpis("jobs over nodes") {
        if !["mpich", "openmpi"].contains(&mpi.name) {
            continue;
        }
        let program = compile(&mpi, &root().join("tests/programs/nodes.c"), &scratch())?;
        let dir = scratch().join("cluster").join(mpi.name);
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let job = Job { cluster: &cluster, mpi: &mpi, program, dir };
        let to_the_end = TO_THE_END.iter().chain(&apart::TO_THE_END).map(|scene| (mpi.is("openmpi"), scene));
        let others = BROKEN_OFF.iter().chain(&apart::BROKEN_OFF).chain(&launchers::SCENES).chain(&late::SCENES);
        let others = others.chain(&together::SCENES);
        let all = (0..).zip(to_the_end.chain(others.map(|scene| (true, scene))));
        let is_on = |number: u64, name: &str| match &wanted {
            Some(wanted) => name.contains(wanted),
            None => ALWAYS.contains(&name) || turn.includes(number, SHARES),
        };
        let now = all.filter(|(number, (is_possible, scene))| *is_possible && is_on(*number, scene.0));
        let only_in_full = launchers::ONLY_IN_FULL
            .iter()
            .chain(&apart::ONLY_IN_FULL)
            .chain(&late::ONLY_IN_FULL)
            .filter(|scene| is_full && is_on(0, scene.0));
        for (name, scene) in now.map(|(_, (_, scene))| scene).chain(only_in_full) {
            let start = Instant::now();
            let mut played = scene(&job);
            if played.as_ref().is_err_and(has_crashed_by_itself) {
                println!("{}: {name}: a rank crashed in MPI_Init, as it does without mpivet; once more", mpi.name);
                job.end_all()?;
                played = scene(&job);
            }
            played.with_context(|| format!("{}: {name}", mpi.name))?;
            println!("{}: {name}: {:.1} s", mpi.name, start.elapsed().as_secs_f64());
            job.end_all()?;
        }
    }
    Ok(())
}

/// Started by Slurm on a busy machine, 1 of 246 jobs of Open MPI 4.1.4 without mpivet (1 of 285 with it) has a rank that calls a
/// function at address 0 before MPI_Init returns. What the program does by itself has no such address.
fn has_crashed_by_itself(why: &anyhow::Error) -> bool {
    format!("{why:#}").contains("Failing at address: (nil)")
}

/// So many commits under each MPI play all scenes; the longest ones are only in `MPIVET_TEST_FULL=1`.
const SHARES: u64 = 4;

const ALWAYS: [&str; 3] =
    ["a correct job", "a circle of waiting ranks over nodes", "a directory named after the program"];

type Scene = fn(&Job) -> Result<()>;

/// Jobs that come to MPI_Finalize, where MPICH 4.0.2 hangs over nodes, with mpivet and without.
const TO_THE_END: [(&str, Scene); 2] = [("a correct job", correct), ("wrong types across nodes", mixed)];

const BROKEN_OFF: [(&str, Scene); 7] = [
    ("a circle of waiting ranks over nodes", circle),
    ("two ranks of one node, while others compute", pair),
    ("no rank on the node of mpivet", login),
    ("launched over ssh", over_ssh),
    ("a directory named after the program", named),
    ("a healthy job, from elsewhere", from_elsewhere),
    ("a rank has crashed, and nobody ends the others", crash),
];

fn correct(job: &Job) -> Result<()> {
    let outcome = job.run(&job.srun(&["-N3", "-n6"], &["right"]))?;
    let Outcome { code, stderr, .. } = outcome;
    ensure!(code == Some(0) && stderr.contains("no errors found"), "{code:?}\n{stderr}");
    ensure!(stderr.contains("ranks 0-5: ended normally"), "{stderr}");
    // On another node, which cannot see the processes.
    let again = run(job.mpivet("node3", &["analyze", "trace"])?, LIMIT)?;
    ensure!(again.code == Some(0) && !again.stderr.contains("running"), "{}{}", again.stdout, again.stderr);
    Ok(())
}

fn mixed(job: &Job) -> Result<()> {
    let outcome = job.run(&job.srun(&["-N3", "-n6", "--export=NONE"], &["mixed"]))?;
    let words = "rank 0 sends MPI_INT to rank 5, which receives MPI_FLOAT";
    ensure!(outcome.code == Some(1) && outcome.stderr.contains(words), "{:?}\n{}", outcome.code, outcome.stderr);
    Ok(())
}

fn circle(job: &Job) -> Result<()> {
    for mode in ["circle", "send"] {
        let outcome = job.run(&job.srun(&["-N3", "-n6"], &[mode]))?;
        job.ensure_stopped(mode, &outcome, "real-deadlock: ranks 0-5 wait for each other")?;
    }
    Ok(())
}

fn pair(job: &Job) -> Result<()> {
    let outcome = job.run(&job.srun(&["-N3", "-n6"], &["pair"]))?;
    job.ensure_stopped("srun", &outcome, "real-deadlock: ranks 0,1 wait for each other")
}

fn login(job: &Job) -> Result<()> {
    let outcome = job.run(&job.srun(&["-w", "node2,node3", "-N2", "-n4"], &["circle"]))?;
    job.ensure_stopped("srun", &outcome, "real-deadlock: ranks 0-3 wait for each other")
}

fn over_ssh(job: &Job) -> Result<()> {
    let outcome = job.run(&job.over_ssh("circle"))?;
    job.ensure_stopped("ssh", &outcome, "real-deadlock: ranks 0-5 wait for each other")
}

/// The launcher stands behind other commands, and starts what it needs on other nodes by a shell.
fn named(job: &Job) -> Result<()> {
    let dir = job.dir.join("named");
    std::fs::create_dir_all(&dir)?;
    let words = ["run", "--keep", "always", "--", "timeout", "50", "env", "A=1"].map(str::to_owned);
    let words = words.into_iter().chain(job.over_ssh("circle")).collect::<Vec<_>>();
    let mut command = job.mpivet("node1", &words.iter().map(String::as_str).collect::<Vec<_>>())?;
    command.current_dir(&dir);
    job.ensure_stopped("ssh", &run(command, LIMIT)?, "real-deadlock: ranks 0-5 wait for each other")?;
    let made: Vec<_> = std::fs::read_dir(&dir)?.map(|entry| Ok(entry?.file_name())).collect::<Result<_>>()?;
    let program = job.program.file_name().context("no name")?.to_string_lossy();
    let begin = format!("mpivet-{program}-");
    ensure!(made.len() == 1 && made[0].to_string_lossy().starts_with(&begin), "{begin}: {made:?}");
    Ok(())
}

fn from_elsewhere(job: &Job) -> Result<()> {
    for (launcher, words, is_known) in [
        ("srun", job.srun(&["-w", "node1,node2", "-N2", "-n4"], &["long", "30"]), true),
        ("ssh", job.over_ssh("long"), false),
    ] {
        let _running = mpivet_tests::run::Background::start(job.run_in(&job.trace(), &words)?)?;
        let until = Instant::now() + Duration::from_secs(20);
        while !["rank-0.mpv", "rank-3.mpv", "job.json"].iter().all(|file| job.trace().join(file).exists()) {
            ensure!(Instant::now() < until, "{launcher}: it does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        let state = if is_known { "the job is still running" } else { "the job may still be running" };
        // On this machine itself, which is no node.
        let of_host = |words: &[&str]| -> Result<Outcome> {
            let mut command = vet::command()?;
            command.args(words).current_dir(&job.dir);
            run(command, LIMIT)
        };
        let of_node = |words: &[&str]| run(job.mpivet("node3", words)?, LIMIT);
        for words in [&["analyze", "trace"][..], &["stats", "trace"], &["export", "--csv", "calls.csv", "trace"]] {
            let said = if is_known { of_node(words)? } else { of_host(words)? };
            let Outcome { code, stdout, stderr, .. } = said;
            ensure!(code == Some(0) && stderr.contains(state), "{launcher}: {words:?}: {code:?}\n{stdout}{stderr}");
            ensure!(!stdout.contains("MV0"), "{launcher}: {words:?}: {stdout}");
        }
        if !is_known {
            let said = of_host(&["analyze", "--over", "trace"])?;
            ensure!(said.code == Some(1) && said.stdout.contains("MV002"), "{}{}", said.stdout, said.stderr);
        }
        job.end_all()?;
    }
    Ok(())
}

fn crash(job: &Job) -> Result<()> {
    let outcome = job.run(&job.srun(&["-N3", "-n6"], &["crash"]))?;
    job.ensure_stopped("srun", &outcome, "abend: rank 5 died of SIGSEGV")
}
