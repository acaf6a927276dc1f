//! Jobs of several parts, several jobs at once, and jobs that are ended before their time.

use super::{Job, LIMIT, Scene, TO_THE_END_LIMIT};
use anyhow::{Context as _, Result, ensure};
use mpivet_tests::run::{Background, Outcome, run};
use mpivet_tests::vet;
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) const SCENES: [(&str, Scene); 10] = [
    ("no variable of the environment is passed on", no_environment),
    ("jobs of two parts", heterogeneous),
    ("several programs in one job", several_programs),
    ("the tasks of an array", array),
    ("two steps at once", two_steps),
    ("mpivet is killed", killed),
    ("an interrupt of a launcher over ssh", interrupted),
    ("two interrupts of srun", interrupted_twice),
    ("a job that is cancelled", cancelled),
    ("a node without power", off),
];

/// These take too long for a commit.
pub(super) const ONLY_IN_FULL: [(&str, Scene); 4] = [
    ("a node off the network", cut),
    ("a time limit", time_limit),
    ("launchers in an allocation", in_an_allocation),
    ("a step is cancelled, and its job goes on", step_cancelled),
];

/// From the start of a disturbance to its effect.
const SOON: Duration = Duration::from_secs(30);

fn until(what: &str, mut done: impl FnMut() -> Result<bool>) -> Result<()> {
    let end = Instant::now() + SOON;
    while !done()? {
        ensure!(Instant::now() < end, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

impl Job<'_> {
    /// A mode of the program with a mistake of 6 ranks, and words of its report. Jobs under MPICH may not come to their end.
    fn mistake(&self) -> (&'static str, &'static str) {
        match self.mpi.is("openmpi") {
            true => ("mixed", "rank 0 sends MPI_INT to rank 5, which receives MPI_FLOAT"),
            false => ("circle", "real-deadlock: ranks 0-5 wait for each other"),
        }
    }

    fn ensure_found(&self, what: &str, outcome: &Outcome) -> Result<()> {
        let Outcome { code, stderr, .. } = outcome;
        let words = self.mistake().1;
        ensure!(*code == Some(1) && stderr.contains(words), "{what}: {code:?}: no {words}\n{stderr}");
        ensure!(stderr.contains("6 ranks"), "{what}\n{stderr}");
        self.ensure_nothing_left(what)
    }

    fn ensure_nothing_left(&self, what: &str) -> Result<()> {
        until(&format!("{what}: the end of all ranks"), || Ok(self.left()?.is_empty()))
    }

    /// A job under mpivet that something happens to when all of its six ranks are on their way. `act` gets the number of
    /// mpivet's process on the first node.
    fn disturbed(&self, job: &[String], act: impl FnOnce(&str) -> Result<()>) -> Result<Outcome> {
        let command = self.announced(job)?;
        std::thread::scope(|scope| {
            let running = scope.spawn(|| run(command, TO_THE_END_LIMIT));
            let acted = self.wait_for_start().and_then(|number| act(&number));
            if acted.is_err() {
                self.end_all()?;
            }
            let outcome = running.join().expect("no panic")?;
            let outcome = Outcome { stderr: text(&self.dir.join("said")), ..outcome };
            acted.with_context(|| outcome.stderr.clone())?;
            Ok(outcome)
        })
    }

    /// `mpivet run`, which leaves its number in a file, and what it says in another one.
    fn announced(&self, job: &[String]) -> Result<std::process::Command> {
        _ = std::fs::remove_file(self.dir.join("number"));
        _ = std::fs::remove_dir_all(self.trace());
        let mpivet = vet::command()?.get_program().to_str().context("no name")?.to_owned();
        let trace = self.trace().display().to_string();
        let words = ["sh", "-c", "echo $$ >number; exec \"$0\" \"$@\" 2>said", &mpivet, "run", "--dir", &trace, "--"];
        let words: Vec<&str> = words.into_iter().chain(job.iter().map(String::as_str)).collect();
        let mut command = self.cluster.on("node1", &words);
        mpivet_tests::mpi::Mpi::prepare(&mut command);
        command.current_dir(&self.dir);
        Ok(command)
    }

    fn wait_for_start(&self) -> Result<String> {
        let files: Vec<String> = (0..6).map(|rank| format!("rank-{rank}.mpv")).chain(["job.json".to_owned()]).collect();
        until("the start of all ranks", || Ok(files.iter().all(|file| self.trace().join(file).exists())))?;
        std::thread::sleep(Duration::from_millis(500));
        Ok(text(&self.dir.join("number")).trim().to_owned())
    }

    /// A batch job that is submitted by a command with these words: it writes what is said to `said.N`, then an exit code to
    /// `code.N`. Returns both for each of these numbers.
    fn batch(&self, words: &[&str], script: &str, numbers: &[u32]) -> Result<Vec<Outcome>> {
        let dir = self.dir.join("batch");
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        std::fs::write(dir.join("script"), format!("#!/bin/sh\ncd {}\n{script}", dir.display()))?;
        // The processes of a batch job are none of the command's.
        let words = ["env", "-u", "MPIVET_TEST_RUN", "sbatch", "-o", "/dev/null"].iter().chain(words).copied();
        let mut command = self.cluster.on("node1", &words.chain(["script"]).collect::<Vec<_>>());
        mpivet_tests::mpi::Mpi::prepare(&mut command);
        command.current_dir(&dir);
        let start = Instant::now();
        let said = run(command, LIMIT)?;
        ensure!(said.code == Some(0), "{}", said.stderr);
        let file = |name: &str, number: &u32| dir.join(format!("{name}.{number}"));
        until("the end of the batch job", || Ok(numbers.iter().all(|n| text(&file("code", n)).ends_with('\n'))))
            .with_context(|| numbers.iter().map(|n| text(&file("said", n))).collect::<String>())?;
        let outcome = |number: &u32| Outcome {
            code: text(&file("code", number)).trim().parse().ok(),
            stdout: String::new(),
            stderr: text(&file("said", number)),
            leftovers: Vec::new(),
            elapsed: start.elapsed(),
        };
        Ok(numbers.iter().map(outcome).collect())
    }

    /// A line of a shell that runs a job under mpivet, for [`Job::batch`].
    fn line(&self, job: &[String], number: &str) -> Result<String> {
        let mpivet = vet::command()?.get_program().display().to_string();
        let run = format!("{mpivet} run --keep always -- {}", job.join(" "));
        Ok(format!("{run} >said.{number} 2>&1; echo $? >code.{number}"))
    }

    fn directories_of_batch(&self) -> Result<usize> {
        let names = std::fs::read_dir(self.dir.join("batch"))?.map(|entry| Ok(entry?.file_name()));
        let names: Vec<_> = names.collect::<Result<_>>()?;
        let begin = format!("mpivet-{}-", self.program.file_name().context("no name")?.display());
        Ok(names.iter().filter(|name| name.to_string_lossy().starts_with(&begin)).count())
    }
}

fn no_environment(job: &Job) -> Result<()> {
    let words = job.srun(&["-N3", "-n6", "--export=NONE"], &[job.mistake().0]);
    job.ensure_found("srun --export=NONE", &job.run(&words)?)
}

fn heterogeneous(job: &Job) -> Result<()> {
    let mode = [job.mistake().0];
    let other = job.srun(&["-N2", "-n4", "--export=NONE"], &mode);
    let both = [job.srun(&["-N1", "-n2"], &mode), vec![":".to_owned()], other[2..].to_vec()].concat();
    job.ensure_found("srun A : B", &job.run(&both)?)
}

fn several_programs(job: &Job) -> Result<()> {
    let file = job.dir.join("programs");
    let (mode, program) = (job.mistake().0, job.program.display());
    std::fs::write(&file, format!("# ranks\n0-1 {program} {mode}\n2-5 {program} {mode} x\n"))?;
    let mut words = job.srun(&["-N3", "-n6", "--multi-prog"], &[]);
    *words.last_mut().context("no words")? = file.display().to_string();
    job.ensure_found("srun --multi-prog", &job.run(&words)?)?;
    // `-n 6 PROGRAM MODE` as two parts.
    let mut words = job.over_ssh(mode);
    let program = words[words.len() - 2].clone();
    let at = words.len() - 3;
    words[at] = "2".to_owned();
    words.extend([":", "-n", "4", &program, mode].map(str::to_owned));
    job.ensure_found("mpirun A : B", &job.run(&words)?)
}

fn array(job: &Job) -> Result<()> {
    let line = job.line(&job.srun(&["-N3", "-n6"], &["$mode"]), "$SLURM_ARRAY_TASK_ID")?;
    let mode = job.mistake().0;
    let script = format!("mode=circle; [ $SLURM_ARRAY_TASK_ID = 2 ] && mode={mode}\n{line}\n");
    let said = job.batch(&["--array=1-2", "-N3", "-n6"], &script, &[1, 2])?;
    job.ensure_stopped("task 1", &said[0], "real-deadlock: ranks 0-5 wait for each other")?;
    job.ensure_found("task 2", &said[1])?;
    ensure!(job.directories_of_batch()? == 2, "{}", job.directories_of_batch()?);
    Ok(())
}

fn two_steps(job: &Job) -> Result<()> {
    let line = |mode: &str, number: &str| job.line(&job.srun(&["--overlap", "-N3", "-n6"], &[mode]), number);
    let script = format!("( {} ) &\n{}\nwait\n", line("circle", "1")?, line(job.mistake().0, "2")?);
    let said = job.batch(&["-N3", "-n12"], &script, &[1, 2])?;
    job.ensure_stopped("step 1", &said[0], "real-deadlock: ranks 0-5 wait for each other")?;
    job.ensure_found("step 2", &said[1])?;
    ensure!(job.directories_of_batch()? == 2, "{}", job.directories_of_batch()?);
    Ok(())
}

/// The job goes on without mpivet, and its traces can be read later.
fn killed(job: &Job) -> Result<()> {
    let _running = Background::start(job.announced(&job.srun(&["-N3", "-n6"], &["long", "5"]))?)?;
    let number = job.wait_for_start()?;
    let analyze = |node: &str| run(job.mpivet(node, &["analyze", "trace"])?, LIMIT);
    // On a busy machine, some ranks have a file long before they are in MPI_Init.
    until("MPI_Init of all ranks", || Ok(analyze("node1")?.stdout.contains("ranks 0-5: still running")))?;
    job.cluster.says("node1", &["kill", "-9", &number])?;
    for node in ["node1", "node3"] {
        let Outcome { code, stdout, stderr, .. } = analyze(node)?;
        ensure!(code == Some(0) && stderr.contains("the job is still running"), "{node}: {code:?}\n{stderr}");
        ensure!(stdout.contains("ranks 0-5: still running"), "{node}: {stdout}");
    }
    ensure!(job.left()?.len() == 6, "{:?}", job.left()?);
    if !job.mpi.is("openmpi") {
        return Ok(());
    }
    job.ensure_nothing_left("the job")?;
    for node in ["node1", "node3"] {
        let Outcome { code, stdout, stderr, .. } = analyze(node)?;
        ensure!(code == Some(0) && stdout.contains("ranks 0-5: ended normally"), "{node}: {code:?}\n{stdout}{stderr}");
    }
    Ok(())
}

fn ensure_interrupted(job: &Job, what: &str, outcome: &Outcome, signal: &str) -> Result<()> {
    let Outcome { code, stderr, .. } = outcome;
    let expected = if signal == "SIGINT" { 130 } else { 143 };
    ensure!(*code == Some(expected), "{what}: {code:?}\n{stderr}");
    ensure!(stderr.contains(&format!("interrupted by {signal}")), "{what}\n{stderr}");
    ensure!(stderr.contains("no errors found"), "{what}\n{stderr}");
    job.ensure_nothing_left(what)
}

fn interrupted(job: &Job) -> Result<()> {
    let said =
        job.disturbed(&job.over_ssh("long"), |number| job.cluster.says("node1", &["kill", "-INT", number]).map(drop))?;
    ensure_interrupted(job, "ssh", &said, "SIGINT")
}

/// `srun` ends its job at the second one.
fn interrupted_twice(job: &Job) -> Result<()> {
    let said = job.disturbed(&job.srun(&["-N3", "-n6"], &["long"]), |number| {
        job.cluster.says("node1", &["kill", "-INT", number])?;
        std::thread::sleep(Duration::from_millis(300));
        job.cluster.says("node1", &["kill", "-INT", number]).map(drop)
    })?;
    ensure!(said.stderr.contains("one more within 1 sec"), "{said:?}");
    ensure_interrupted(job, "srun", &said, "SIGINT")
}

fn ensure_ended_by_slurm(job: &Job, what: &str, outcome: &Outcome, why: &str) -> Result<()> {
    ensure!(outcome.stderr.contains("mpivet: Slurm has ended job "), "{what}\n{}", outcome.stderr);
    ensure!(outcome.stderr.contains(why), "{what}: no {why}\n{}", outcome.stderr);
    ensure_interrupted(job, what, outcome, "SIGTERM")
}

fn cancelled(job: &Job) -> Result<()> {
    let said = job.disturbed(&job.srun(&["-N3", "-n6"], &["long"]), |_| {
        job.cluster.says("node2", &["scancel", "--user=root"]).map(drop)
    })?;
    ensure_ended_by_slurm(job, "srun", &said, "it was cancelled")?;
    let again = run(job.mpivet("node3", &["analyze", "trace"])?, LIMIT)?;
    ensure!(again.code == Some(0) && again.stdout.contains("interrupted by SIGTERM"), "{}", again.stdout);
    Ok(())
}

fn step_cancelled(job: &Job) -> Result<()> {
    let line = job.line(&job.srun(&["-N3", "-n6"], &["long"]), "1")?;
    let script = format!("( {line} ) &\nsleep 4\nscancel $SLURM_JOB_ID.0\nwait\nsleep 5\n");
    let said = job.batch(&["-N3", "-n6"], &script, &[1])?;
    ensure!(said[0].stderr.contains(".0: it was cancelled"), "{}", said[0].stderr);
    ensure!(said[0].code == Some(143) && said[0].stderr.contains("interrupted by SIGTERM"), "{:?}", said[0]);
    Ok(())
}

/// The MPI's own launcher, which has Slurm start what it needs on other nodes; mpivet outside of the allocation, and in it.
fn in_an_allocation(job: &Job) -> Result<()> {
    let program = job.program.display();
    let launcher = match job.mpi.is("openmpi") {
        true => {
            "mpirun.openmpi --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 --mca btl \
             self,vader,tcp --mca pml ob1 -n 6"
        }
        false => "mpiexec.mpich -launcher slurm -n 6",
    };
    let inner: Vec<String> = format!("{launcher} {program} circle").split_whitespace().map(str::to_owned).collect();
    let salloc = ["salloc", "-N3", "-n6"].map(str::to_owned);
    let words = "real-deadlock: ranks 0-5 wait for each other";
    job.ensure_stopped("salloc", &job.run(&[&salloc[..], &inner].concat())?, words)?;
    let mpivet = vet::command()?.get_program().display().to_string();
    let trace = job.dir.join("in-allocation").display().to_string();
    _ = std::fs::remove_dir_all(&trace);
    let run_words = [mpivet.as_str(), "run", "--dir", &trace, "--"].map(str::to_owned);
    let all = [&salloc[..], &run_words, &inner].concat();
    let mut command = job.cluster.on("node1", &all.iter().map(String::as_str).collect::<Vec<_>>());
    mpivet_tests::mpi::Mpi::prepare(&mut command);
    command.current_dir(&job.dir);
    job.ensure_stopped("in salloc", &run(command, LIMIT)?, words)
}

/// Slurm counts in minutes.
fn time_limit(job: &Job) -> Result<()> {
    let said = job.disturbed(&job.srun(&["-N3", "-n6", "-t", "1"], &["long", "150"]), |_| Ok(()))?;
    ensure_ended_by_slurm(job, "srun -t", &said, "its time limit was reached")
}

/// Launchers over ssh may wait for ever for a node that is gone.
fn cut(job: &Job) -> Result<()> {
    let said = job.disturbed(&job.over_ssh("long"), |number| {
        job.cluster.own(&["cut", "node3"])?;
        let words = "the connection with node3 is lost";
        until(words, || Ok(text(&job.dir.join("said")).contains(words)))?;
        job.cluster.says("node1", &["kill", "-TERM", number])?;
        std::thread::sleep(Duration::from_secs(1));
        job.cluster.own(&["join", "node3"])
    });
    job.cluster.own(&["join", "node3"])?;
    let Outcome { code, stderr, .. } = said?;
    ensure!(code == Some(143) && stderr.contains("interrupted by SIGTERM"), "{code:?}\n{stderr}");
    Ok(())
}

fn off(job: &Job) -> Result<()> {
    let said = job.disturbed(&job.srun(&["-N3", "-n6"], &["long"]), |_| {
        job.cluster.own(&["off", "node3"])?;
        // Slurm would notice it later.
        let down = ["scontrol", "update", "nodename=node3", "state=down", "reason=off"];
        job.cluster.says("node1", &down).map(drop)
    });
    job.cluster.own(&["up", "3", "--share-tmp"])?;
    job.cluster.own(&["slurm"])?;
    ensure_ended_by_slurm(job, "srun", &said?, "a node failed")
}
