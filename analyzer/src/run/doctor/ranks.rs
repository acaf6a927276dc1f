//! The launcher starts a process of mpivet in place of each rank. Each answers with a line on standard output, which every
//! launcher brings from every node, and lives on for a moment, so that it can be looked at.

use super::Fact;
use super::program::{Loaded, product};
use crate::cli::DoctorPlan;
use crate::exit::{CLEAN, Exit};
use crate::run::find::program::{file, starts};
use crate::run::launcher::{Job, Launcher, preloading};
use crate::run::launcher_options::{Program, programs};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use trace_format::owner_only;
use trace_format::run::proc;

const SUBJECT: &str = "ranks";
/// The beginning of an answer.
const MARK: &str = "mpivet-doctor ";
/// The hidden command that answers.
const COMMAND: &str = "doctor-rank";
/// Rank and size in the environment that launchers give.
const LAUNCHERS: [(&str, &str); 3] =
    [("Open MPI", "OMPI_COMM_WORLD_SIZE"), ("MPICH or Intel MPI", "PMI_SIZE"), ("Slurm", "SLURM_STEP_NUM_TASKS")];
/// An answering process lives so long: to be looked at, and since launchers lose words of a process that ends at once.
const LIFE: Duration = Duration::from_millis(500);

/// The answer of a process in place of a rank.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    host: String,
    pid: u32,
    /// Number of processes, and whose launcher it is, by the environment.
    size: Option<(usize, String)>,
    is_preloaded: bool,
    /// A file of this name in the trace directory.
    left: Option<String>,
    /// Libraries that the program lacks there.
    missing: Vec<String>,
    product: Option<String>,
}

/// `mpivet doctor-rank PROGRAM`: answers.
pub(crate) fn answer(program: &Path) -> Result<u8, Exit> {
    let loaded = Loaded::of(program);
    let size =
        LAUNCHERS.iter().find_map(|(of, name)| Some((std::env::var(name).ok()?.parse().ok()?, (*of).to_owned())));
    let (host, pid) = (proc::host(), std::process::id());
    let name = format!("rank-{host}-{pid}");
    let left =
        std::env::var_os("MPIVET_DIR").filter(|dir| owner_only::write(&Path::new(dir).join(&name), b"mpivet").is_ok());
    let answer = Answer {
        is_preloaded: proc::own_maps().contains("/libmpivet.so"),
        left: left.map(|_| name),
        product: loaded.library.as_deref().and_then(product).map(str::to_owned),
        missing: loaded.missing,
        host,
        pid,
        size,
    };
    let json = serde_json::to_string(&answer).map_err(Exit::cannot)?;
    crate::exit::put(&format!("{MARK}{json}\n"))?;
    std::thread::sleep(LIFE);
    Ok(CLEAN)
}

/// An answer, and what was seen of the process while it lived.
struct Seen {
    answer: Answer,
    /// May this user look at the process? `None`: it is on another node.
    may_look: Option<bool>,
}

/// Lets the launcher start processes of mpivet, and looks at their answers.
pub(super) fn look(plan: &DoctorPlan, launcher: &Path, library: &Path, program: &Path, facts: &mut Vec<Fact>) {
    let probe = [std::env::current_exe().unwrap_or_default().into(), COMMAND.into(), absolute(program).into()];
    let Some(command) = with_probe(&plan.command, &probe) else {
        // Otherwise it is the program itself.
        if program != launcher {
            let advice = "try `mpivet doctor` with the launcher and the program themselves";
            facts.push(Fact::note(SUBJECT, "not tried: nobody knows where in the command the program is", advice));
        }
        return;
    };
    let dir = plan.dir.join(format!("mpivet-doctor-{}", std::process::id()));
    let Some(absolute) = owner_only::make_new_dir(&dir).ok().and_then(|()| dir.canonicalize().ok()) else {
        // It was told that nothing can be written there.
        return;
    };
    let tried = try_launcher(command, launcher, library, &absolute, plan.timeout);
    match tried {
        Ok((seen, rest)) if seen.is_empty() => facts.push(Fact::problem(
            SUBJECT,
            format!("the launcher started no process that could answer{}", quoted(&rest)),
            "its own words say why; does it start other programs (`hostname`), and is mpivet on all nodes in the same place?",
        )),
        Ok((seen, _)) => judge(&seen, &absolute, facts),
        Err(why) => facts.push(Fact::problem(SUBJECT, why, "does the launcher start other programs, for example `hostname`?")),
    }
    _ = std::fs::remove_dir_all(&dir);
}

/// The command with `probe` in place of each program; `None` if nobody knows where these are.
fn with_probe(command: &[OsString], probe: &[OsString]) -> Option<Vec<OsString>> {
    let starts = starts(command);
    if !command.iter().any(|word| *word == *":") {
        let last = starts.last().copied().filter(|start| *start > 0)?;
        return Some([&command[..last], probe].concat());
    }
    let is_launcher = |start: &usize| Launcher::of(&file(&command[*start])) != Launcher::Other;
    let start = starts.into_iter().find(is_launcher)?;
    let (before, words) = command.split_at(start);
    let mut all = [before, &words[..1]].concat();
    for Program { start, program, .. } in programs(Launcher::of(&file(&words[0])), words) {
        all.extend_from_slice(if start > 1 { &words[start - 1..program?] } else { &words[start..program?] });
        all.extend_from_slice(probe);
    }
    Some(all)
}

/// The last words of a launcher.
fn quoted(words: &[String]) -> String {
    const MOST: usize = 5;
    let said: Vec<&str> = words.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let last = &said[said.len().saturating_sub(MOST)..];
    if last.is_empty() { String::new() } else { format!(": {}", last.join(" | ")) }
}

/// The answers, and what else the launcher said.
fn try_launcher(
    command: Vec<OsString>,
    launcher: &Path,
    library: &Path,
    dir: &Path,
    timeout: Duration,
) -> Result<(Vec<Seen>, Vec<String>), String> {
    let ours = [("LD_PRELOAD", preloading(library)), ("MPIVET_DIR", dir.into())];
    let names = ours.each_ref().map(|(name, _)| *name);
    let mut environment: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| !names.iter().any(|ours| name == ours)).collect();
    environment.extend(ours.into_iter().map(|(name, value)| (name.into(), value)));
    let job = Job { command, environment }.forward(launcher, library, &names);
    let mut started = Command::new(launcher);
    started.args(&job.command[1..]).env_clear().envs(job.environment).process_group(0);
    started.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = started.spawn().map_err(|e| format!("cannot run {}: {e}", launcher.display()))?;
    let (lines, said) = channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] =
        [child.stdout.take().map(|s| Box::new(s) as _), child.stderr.take().map(|s| Box::new(s) as _)];
    for stream in streams.into_iter().flatten() {
        let lines = lines.clone();
        std::thread::spawn(move || {
            BufReader::new(stream).split(b'\n').map_while(Result::ok).try_for_each(|line| lines.send(line))
        });
    }
    drop(lines);
    let (seen, rest, is_over) = listen(&said, Instant::now() + timeout);
    if !is_over {
        // The group that was made for it above.
        _ = i32::try_from(child.id()).map(|pid| killpg(Pid::from_raw(pid), Signal::SIGKILL));
    }
    _ = child.wait();
    if !is_over && seen.is_empty() {
        let after = timeout.as_secs();
        return Err(format!("the launcher started nothing within {after} s (--timeout){}", quoted(&rest)));
    }
    Ok((seen, rest))
}

fn absolute(program: &Path) -> PathBuf {
    if program.is_file() { program.canonicalize().unwrap_or(program.to_owned()) } else { program.to_owned() }
}

/// Takes answers until the launcher closes its output. False: it has not, until the end.
fn listen(said: &Receiver<Vec<u8>>, end: Instant) -> (Vec<Seen>, Vec<String>, bool) {
    let (mut seen, mut rest) = (Vec::new(), Vec::new());
    let here = proc::host();
    loop {
        let line = match said.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => String::from_utf8_lossy(&line).into_owned(),
            Err(RecvTimeoutError::Timeout) => return (seen, rest, false),
            Err(RecvTimeoutError::Disconnected) => return (seen, rest, true),
        };
        // Launchers may put the rank in front of it.
        let json = line.split_once(MARK).map(|(_, json)| json);
        match json.and_then(|json| serde_json::from_str::<Answer>(json).ok()) {
            Some(answer) => {
                let may_look =
                    (answer.host == here).then(|| std::fs::read(proc::dir(answer.pid).join("syscall")).is_ok());
                seen.push(Seen { answer, may_look });
            }
            None => rest.push(line),
        }
    }
}

fn judge(seen: &[Seen], dir: &Path, facts: &mut Vec<Fact>) {
    let mut hosts: BTreeMap<&str, usize> = BTreeMap::new();
    seen.iter().for_each(|s| *hosts.entry(&s.answer.host).or_default() += 1);
    let places: Vec<String> = hosts.iter().map(|(host, n)| format!("{n} on {host}")).collect();
    let places = places.join(", ");
    let without: BTreeSet<&str> = seen.iter().filter(|s| !s.answer.is_preloaded).map(|s| &*s.answer.host).collect();
    let wanted = seen.iter().filter_map(|s| s.answer.size.as_ref().map(|(size, _)| *size)).max().unwrap_or(0);
    let answered = seen.len();
    facts.push(if !without.is_empty() {
        Fact::problem(
            SUBJECT,
            format!("{answered} started, {places}; libmpivet.so did not come into all of them: {}", list(&without)),
            "the launcher does not pass LD_PRELOAD on, or mpivet is not on these nodes in the same place",
        )
    } else if answered < wanted {
        Fact::problem(
            SUBJECT,
            format!("only {answered} of {wanted} answered, {places}"),
            "is mpivet on all nodes in the same place?",
        )
    } else {
        Fact::fine(SUBJECT, format!("libmpivet.so came into {answered} of {answered}, {places}"))
    });
    let has_file = |s: &&Seen| s.answer.left.as_ref().is_some_and(|name| dir.join(name).is_file());
    let apart: BTreeSet<&str> = seen.iter().filter(|s| !has_file(s)).map(|s| &*s.answer.host).collect();
    if !apart.is_empty() {
        facts.push(Fact::note(
            "nodes",
            format!("{} cannot write to the trace directory of this one", list(&apart)),
            "agents of mpivet bring the traces from there; a directory that all nodes share does without (--dir DIR)",
        ));
    }
    let missing: BTreeSet<&str> = seen.iter().flat_map(|s| &s.answer.missing).map(|name| &**name).collect();
    if !missing.is_empty() {
        facts.push(Fact::problem(
            SUBJECT,
            format!("the program lacks {} there", list(&missing)),
            "load the modules that it was built with where ranks run, or set LD_LIBRARY_PATH",
        ));
    }
    facts.extend(seen.iter().find_map(|s| other_launcher(&s.answer)));
    let is_hidden = seen.iter().any(|s| s.may_look == Some(false));
    let is_seen = seen.iter().any(|s| s.may_look == Some(true));
    if is_hidden {
        facts.push(Fact::note(
            "evidence",
            "this user may not look at processes of ranks (/proc/PID/syscall): deadlocks that rest on buffered messages are told at the end alone",
            "kernel.yama.ptrace_scope should be 0 or 1, and mpivet run by the user who owns the ranks",
        ));
    } else if is_seen {
        facts.push(Fact::fine("evidence", "processes of ranks can be looked at while they hang"));
    }
}

/// The launcher of another MPI than the program's: each rank would be alone.
fn other_launcher(answer: &Answer) -> Option<Fact> {
    let (launcher, product) = (&answer.size.as_ref()?.1, answer.product.as_ref()?);
    let is_other = match &**product {
        "Open MPI" => launcher == "MPICH or Intel MPI",
        "MPICH" | "Intel MPI" => launcher == "Open MPI",
        _ => false,
    };
    is_other.then(|| {
        let advice = format!("start it with the mpiexec of {product}: otherwise each process is a job of its own");
        Fact::problem("launcher", format!("is that of {launcher}, but the program uses {product}"), advice)
    })
}

fn list(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_is_in_place_of_each_program() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let probed = |line| with_probe(&words(line), &["P".into(), "x".into()]).map(|all| all.join(" ".as_ref()));
        let is = |line, wanted: &str| assert_eq!(probed(line).as_deref(), Some(wanted.as_ref()), "{line}");
        is("timeout 9 mpiexec.hydra -n 4 ./app in.dat", "timeout 9 mpiexec.hydra -n 4 P x");
        is("mpiexec.hydra -n 1 ./a b : -n 2 ./a b", "mpiexec.hydra -n 1 P x : -n 2 P x");
        is("mpirun.openmpi -n 4 numactl -l ./app", "mpirun.openmpi -n 4 numactl -l P x");
        assert_eq!(probed("./app in.dat"), None);
    }
}
