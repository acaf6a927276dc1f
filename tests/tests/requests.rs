//! Requests that are looked at without being completed, and what wrappers of completion calls keep together.

use anyhow::{Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile, run, vet};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_format::mpi::Status;
use trace_reader::call::{Call, Value};
use trace_reader::reader::{RankEvent, RankReader, traces_in};

const LIMIT: Duration = Duration::from_secs(60);

fn fresh(name: &str, mpi: &Mpi) -> Result<PathBuf> {
    let dir = mpivet_tests::scratch().join("requests").join(format!("{name}-{}", mpi.name));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn source(name: &str) -> PathBuf {
    mpivet_tests::root().join("tests/programs").join(name)
}

fn interposer() -> Result<PathBuf> {
    Ok(vet::mpivet()?.with_file_name("libmpivet.so"))
}

fn library(mpi: &Mpi, name: &str, dir: &Path) -> Result<PathBuf> {
    let library = dir.join(format!("lib{}.so", name.trim_end_matches(".c")));
    compile::compile_to(mpi, &library, &mpi.mpicc, &["-g", "-shared", "-fPIC"], &source(name))?;
    Ok(library)
}

/// Runs one rank of a program with libraries preloaded; the trace goes to `trace`.
fn outcome(mpi: &Mpi, program: &Path, arguments: &[&str], preload: &[&Path], trace: &Path) -> Result<run::Outcome> {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    let job = mpi.job(1, program, &arguments);
    let (launcher, rest) = job.split_at(3);
    let list: Vec<_> = preload.iter().map(|p| p.display().to_string()).collect();
    let mut command = Command::new(&launcher[0]);
    command.args(&launcher[1..]).arg("env").arg(format!("LD_PRELOAD={}", list.join(":"))).args(rest);
    command.env("MPIVET_DIR", trace);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

fn output(mpi: &Mpi, program: &Path, arguments: &[&str], preload: &[&Path], trace: &Path) -> Result<String> {
    let outcome = outcome(mpi, program, arguments, preload, trace)?;
    ensure!(outcome.code == Some(0), "{}: exit code {:?}\n{}", mpi.name, outcome.code, vet::last_words(&outcome));
    Ok(outcome.stdout)
}

fn calls(trace: &Path) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    for stem in traces_in(trace)? {
        let mut reader = RankReader::open_stem(trace, &stem)?;
        reader.writer_is_gone();
        let mut sink = |event| match event {
            RankEvent::Call(call) => calls.push(call),
            RankEvent::Return { thread, index, outs, .. } => {
                let is_meant = |c: &&mut Call| c.thread == thread && c.index == index;
                calls.iter_mut().find(is_meant).into_iter().for_each(|c| c.outs.clone_from(&outs));
            }
            _ => {}
        };
        while reader.poll(usize::MAX, &mut sink)? {}
    }
    Ok(calls)
}

/// MPIs that have the functions of MPI 4.1, 3.7.6.
fn with_functions() -> Vec<Mpi> {
    mpi::others().into_iter().filter(|mpi| mpi.name != "openmpi-5.0").collect()
}

fn without_functions() -> Vec<Mpi> {
    mpi::required().into_iter().chain(mpi::others().into_iter().filter(|mpi| mpi.name == "openmpi-5.0")).collect()
}

/// MPICH and its descendants answer for a persistent request that is complete as for one that is inactive.
fn is_certain(line: &&str) -> bool {
    !line.starts_with("started and complete")
}

fn expected() -> Result<String> {
    Ok(std::fs::read_to_string(source("request-statuses.expected"))?)
}

#[test]
fn statuses_of_several_requests_are_what_the_library_says() -> Result<()> {
    mpi::under_each(&with_functions(), |mpi| {
        let dir = fresh("statuses", mpi)?;
        let program = dir.join("request-statuses");
        compile::compile_to(mpi, &program, &mpi.mpicc, &["-g"], &source("request-statuses.c"))?;
        let expected = expected()?;
        let wanted: Vec<&str> = expected.lines().filter(is_certain).collect();
        for preload in [&[][..], &[&*interposer()?]] {
            let said = output(mpi, &program, &["look"], preload, &dir.join("trace"))?;
            let said: Vec<&str> = said.lines().filter(is_certain).collect();
            ensure!(said.first() == Some(&"there") && said[1..] == wanted, "{said:#?}");
        }
        Ok(())
    })
}

#[test]
fn a_program_of_a_newer_library_gets_the_statuses_of_several_requests() -> Result<()> {
    mpi::under_each(&without_functions(), |mpi| {
        let ours = interposer()?;
        for bind in ["lazy", "now"] {
            let dir = fresh(bind, mpi)?;
            let (program, newer) = (dir.join("request-statuses"), dir.join("libnewer.so"));
            let link = ["-shared", "-fPIC", "-Wl,-soname,libnewer.so"];
            compile::compile_to(mpi, &newer, &mpi.mpicc, &[&link[..], &["-DNEWER"]].concat(), &source("newer.c"))?;
            let (path, bind) = (format!("-Wl,-rpath,{}", dir.display()), format!("-Wl,-z,{bind}"));
            let newer_path = newer.display().to_string();
            let flags = ["-g", "-DUNDECLARED", "-Wl,--no-as-needed", &newer_path, &path, &bind];
            compile::compile_to(mpi, &program, &mpi.mpicc, &flags, &source("request-statuses.c"))?;
            compile::compile_to(mpi, &newer, &mpi.mpicc, &link, &source("newer.c"))?;

            let plain = outcome(mpi, &program, &["look"], &[], &dir.join("none"))?;
            let refused = plain.stderr.contains("undefined symbol: MPI_Request_get_status_");
            ensure!(plain.code != Some(0) && refused, "without mpivet: {:?} {}", plain.code, plain.stderr);
            let trace = dir.join("trace");
            let said = output(mpi, &program, &["look"], &[&ours], &trace)?;
            // A lookup finds what it would find without us.
            ensure!(said == format!("not there\n{}", expected()?), "{said}");
            let all = calls(&trace)?;
            let count = |name: &str| all.iter().filter(|c| c.func.name() == name).count();
            ensure!(count("MPI_Request_get_status_all") > 40 && count("MPI_Request_get_status") == 0);
            let (report, _) = vet::analyze_with(&[], &trace)?;
            ensure!(report.contains("0 errors"), "{report}");
        }
        Ok(())
    })
}

/// The requests that a call has completed, with their statuses.
fn completed(call: &Call) -> Vec<(i64, Status)> {
    let handles = match call.ins.iter().find(|v| matches!(v, Value::Requests { .. } | Value::Request { .. })) {
        Some(Value::Requests { handles, .. }) => handles.clone(),
        Some(Value::Request { handle, .. }) => vec![*handle],
        _ => return Vec::new(),
    };
    let flag = call.out("flag").is_none_or(|flag| flag.int() != 0);
    let statuses: Vec<Status> = call
        .outs
        .iter()
        .flat_map(|v| match v {
            Value::Status(s) => vec![*s],
            Value::Statuses(all) => all.clone(),
            _ => Vec::new(),
        })
        .collect();
    let at = |places: &mut dyn Iterator<Item = i64>| -> Vec<(i64, Status)> {
        let of = |place: i64| handles.get(usize::try_from(place).ok()?).copied();
        places.filter_map(of).zip(statuses.iter().copied()).filter(|(handle, _)| *handle != 0).collect()
    };
    match call.func.name() {
        "MPI_Waitsome" | "MPI_Testsome" => {
            let count = call.out("outcount").map_or(0, Value::int).max(0) as usize;
            let indices = call.out("array_of_indices").map_or(&[][..], Value::ints);
            at(&mut indices.iter().copied().take(count))
        }
        "MPI_Waitany" | "MPI_Testany" if flag => at(&mut call.out("index").map(Value::int).into_iter()),
        "MPI_Waitall" | "MPI_Wait" => at(&mut (0..handles.len() as i64)),
        _ => Vec::new(),
    }
}

/// Each status in the trace is that of its request: how many there are, and how many were cancelled.
fn pairs(trace: &Path) -> Result<(usize, usize)> {
    let mut tags: HashMap<i64, i64> = HashMap::new();
    let (mut count, mut cancelled) = (0, 0);
    for call in calls(trace)? {
        if call.func.name() == "MPI_Irecv" {
            let handle = call.out("request").map_or(0, Value::int);
            tags.insert(handle, call.arg("tag").map_or(0, Value::int));
        }
        for (handle, status) in completed(&call) {
            let tag = tags.remove(&handle);
            ensure!(tag.is_some(), "{}: a request that is not pending", call.func.name());
            count += 1;
            if status.cancelled {
                cancelled += 1;
            } else {
                ensure!(tag == Some(i64::from(status.tag)), "{}: {tag:?} and {status:?}", call.func.name());
            }
        }
    }
    Ok((count, cancelled))
}

#[test]
fn statuses_stay_with_their_requests_whoever_wraps_the_calls() -> Result<()> {
    let mut mpis = mpi::required();
    mpis.extend(mpi::others());
    mpi::under_each(&mpis, |mpi| {
        let dir = fresh("pairing", mpi)?;
        let program = dir.join("pairing");
        compile::compile_to(mpi, &program, &mpi.mpicc, &["-g"], &source("pairing.c"))?;
        let (tool, ours) = (library(mpi, "tool-statuses.c", &dir)?, interposer()?);
        let plain = output(mpi, &program, &[], &[], &dir.join("none"))?;
        ensure!(plain == "all right\n", "without any tool: {plain}");
        let all = 24 * 5 * 2 * 4;
        for (name, preload) in
            [("alone", vec![&*ours]), ("above", vec![&*ours, &*tool]), ("below", vec![&*tool, &*ours])]
        {
            let trace = dir.join(name);
            let said = output(mpi, &program, &[], &preload, &trace)?;
            let tools = if preload.len() > 1 { format!("tool: {all} seen, 0 wrong\n") } else { String::new() };
            ensure!(said == format!("all right\n{tools}"), "mpivet {name}: {said}");
            let (count, cancelled) = pairs(&trace)?;
            ensure!(count == all && cancelled == all / 4, "mpivet {name}: {count} statuses, {cancelled} cancelled");
        }
        Ok(())
    })
}

#[test]
fn a_library_that_frees_a_generalized_request_twice_or_never_is_told_of() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let dir = fresh("frees", mpi)?;
        let program = dir.join("program");
        let of_examples = mpivet_tests::root().join("examples/grequest-misuse/fixed-unwaited.c");
        compile::compile_to(mpi, &program, &mpi.mpicc, &["-g"], &of_examples)?;
        let (tool, ours) = (library(mpi, "tool-frees.c", &dir)?, interposer()?);
        for (never, wanted) in [(false, "a second time"), (true, "has not called its free_fn")] {
            let trace = dir.join(if never { "never" } else { "twice" });
            let shell = dir.join("run.sh");
            let setting = if never { "export NEVER=1" } else { ":" };
            std::fs::write(&shell, format!("{setting}\nexec \"$@\"\n"))?;
            let job = [shell.display().to_string(), program.display().to_string()];
            let job: Vec<&str> = job.iter().map(String::as_str).collect();
            output(mpi, Path::new("/bin/sh"), &job, &[&ours, &tool], &trace)?;
            let (report, _) = vet::analyze_with(&[], &trace)?;
            let told = report.contains("error[MV113]") && report.contains(wanted);
            ensure!(told && report.contains("1 error, 0 warnings"), "never {never}:\n{report}");
        }
        Ok(())
    })
}
