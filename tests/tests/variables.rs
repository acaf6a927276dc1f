//! The variables of the MPI library (MPI_T): those in `job.json` against what a program sees of them in the same run,
//! `mpivet env`, `--cvar`, `--stress` and `--pvars`.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::vet::{self, Vetted, last_words, vet_with};
use mpivet_tests::{root, run, scratch, share};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use trace_format::run::job::{self, Job};
use trace_format::variables::{Control, bearing};

const LIMIT: Duration = Duration::from_secs(60);

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Runs a test program on two ranks under mpivet with these options.
fn vetted(mpi: &Mpi, source: &str, arguments: &str, options: &str) -> Result<Vetted> {
    let program = compile(mpi, &root().join("tests/programs").join(source), &scratch())?;
    // Several tests run the same program with the same options, at the same time.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let dir = scratch().join("variables").join(format!("{}-{}", mpi.name, RUNS.fetch_add(1, Ordering::Relaxed)));
    vet_with(&words(options), &mpi.job(2, &program, &words(arguments)), &dir, LIMIT)
}

fn plain(mpi: &Mpi, source: &str, arguments: &str) -> Result<String> {
    let program = compile(mpi, &root().join("tests/programs").join(source), &scratch())?;
    let outcome = vet::run_plain(&mpi.job(2, &program, &words(arguments)), LIMIT)?;
    ensure!(outcome.code == Some(0), "{}: {:?}\n{}", mpi.name, outcome.code, last_words(&outcome));
    Ok(outcome.stdout)
}

fn job_of(vetted: &Vetted) -> Result<Job> {
    job::read(&vetted.trace).with_context(|| last_words(&vetted.outcome))
}

fn env(trace: &Path, options: &[&str]) -> Result<String> {
    let mut command = vet::command()?;
    command.arg("env").args(options).arg(trace);
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code == Some(0), "mpivet env {options:?}\n{}", last_words(&outcome));
    Ok(outcome.stdout)
}

fn is_open_mpi(mpi: &Mpi) -> bool {
    mpi.name.starts_with("openmpi")
}

#[test]
fn the_variables_are_those_that_the_program_sees() -> Result<()> {
    for mpi in share::mpis("the_variables_are_those_that_the_program_sees") {
        let vetted = vetted(&mpi, "tool-interface.c", "", "")?;
        let variables = job_of(&vetted)?.variables.with_context(|| format!("{}: no variables", mpi.name))?;
        let lines = || vetted.outcome.stdout.lines();
        let number = |word: &str| lines().find_map(|l| l.strip_prefix(word)?.trim().parse::<i32>().ok());
        let all = number("controls ").context("no number of controls")?;
        // Open MPI opens more for a program that uses the interface than MPI_Init does: mpivet looks at the latter alone.
        let has_fewer = is_open_mpi(&mpi);
        // The program waits for it in MPI_Init: 2 ms, and 220 where all components are opened anew.
        ensure!(variables.microseconds < 100_000, "{}: {} us", mpi.name, variables.microseconds);
        let is_told = if has_fewer { variables.controls < all } else { variables.controls == all };
        ensure!(is_told, "{}: {} of {all}", mpi.name, variables.controls);
        let performances: Vec<&str> =
            lines().filter_map(|l| l.strip_prefix("performance\t")?.split('\t').next()).collect();
        let names: Vec<&str> = variables.performance.iter().map(|p| p.name.as_str()).collect();
        let are_told = names.iter().all(|name| performances.contains(name));
        ensure!(if has_fewer { are_told } else { performances == names }, "{}: {names:?}", mpi.name);
        ensure!(names.is_empty() != is_open_mpi(&mpi), "{}: {names:?}", mpi.name);
        ensure!(variables.controls > 300, "{}: {}", mpi.name, variables.controls);
        let mut compared = 0;
        for line in lines().filter(|l| l.starts_with("control\t")) {
            let [_, index, name, datatype, value] = line.splitn(5, '\t').collect::<Vec<_>>()[..] else { continue };
            let control = variables.named(name);
            if has_fewer && control.is_none() && bearing(name).is_none() {
                continue;
            }
            let control = control.with_context(|| format!("{}: {name} is missing", mpi.name))?;
            ensure!(control.index.to_string() == index, "{}: {control:?} {line}", mpi.name);
            ensure!(control.datatype == datatype, "{}: {control:?} {line}", mpi.name);
            if value != "-" {
                let value = Some(value).filter(|v| *v != "?");
                ensure!(control.value.as_deref() == value, "{}: {control:?} {line}", mpi.name);
                compared += 1;
            }
        }
        let is_most = compared > 300 && compared <= variables.control.len() && compared + 20 > variables.control.len();
        ensure!(is_most, "{}: {compared} of {}", mpi.name, variables.control.len());
        let count = |has: fn(&&Control) -> bool| variables.control.iter().filter(has).count();
        let described = count(|c| !c.description.is_empty());
        let sorted = count(|c| !c.categories.is_empty());
        ensure!(described > 300 && sorted > 300, "{}: {described} described, {sorted} in categories", mpi.name);
        for c in &variables.control {
            let is_word = |text: &str| !text.is_empty() && text.parse::<i32>().is_err();
            ensure!(is_word(&c.scope) && is_word(&c.binding) && is_word(&c.verbosity), "{}: {c:?}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn the_programs_own_use_of_the_interface_is_as_without_mpivet() -> Result<()> {
    for mpi in share::mpis("the_programs_own_use_of_the_interface_is_as_without_mpivet") {
        // MPICH 4.0 itself crashes when the interface is used again after it was given back.
        let uses: &[&str] = if is_open_mpi(&mpi) { &["", "before", "twice"] } else { &["", "before"] };
        for how in uses {
            // Texts that hold a number of the run differ. Open MPI gives performance variables new indices each time
            // that its interface is used anew; the variables are the same.
            let stable = |text: &str| -> Vec<String> {
                let lines = text.lines().filter(|l| !l.starts_with("performances "));
                lines.map(|l| l.split('\t').take(4).collect::<Vec<_>>().join("\t")).collect()
            };
            let without = stable(&plain(&mpi, "tool-interface.c", how)?);
            ensure!(without.len() > 300, "{}: {without:?}", mpi.name);
            let with = vetted(&mpi, "tool-interface.c", how, "")?;
            ensure!(with.outcome.code == Some(0), "{} {how}\n{}", mpi.name, last_words(&with.outcome));
            let with = stable(&with.outcome.stdout);
            let differs = without.iter().zip(&with).find(|(a, b)| a != b);
            ensure!(differs.is_none() && with.len() == without.len(), "{} {how}: {differs:?}", mpi.name);
            let queue = with.iter().any(|l| l.contains("elements 2 unexpected 3"));
            ensure!(queue == is_open_mpi(&mpi), "{} {how}", mpi.name);
        }
    }
    Ok(())
}

/// Open MPI's MPI_T_init_thread takes the level that it is asked for as that of the program.
#[test]
fn the_thread_level_of_the_program_stays() -> Result<()> {
    for mpi in share::mpis("the_thread_level_of_the_program_stays") {
        for level in ["", "0", "3"] {
            let without = plain(&mpi, "level-kept.c", level)?;
            ensure!(without.contains("known") && without.contains("in the end"), "{}: {without}", mpi.name);
            for options in ["", "--pvars=@20ms", "--stress"] {
                let with = vetted(&mpi, "level-kept.c", level, options)?;
                ensure!(
                    with.outcome.stdout == without,
                    "{} {level} {options}\n{without}{}",
                    mpi.name,
                    with.outcome.stdout
                );
            }
        }
    }
    Ok(())
}

#[test]
fn env_prints_what_bears_on_correctness_first() -> Result<()> {
    for mpi in share::mpis("env_prints_what_bears_on_correctness_first") {
        let trace = vetted(&mpi, "eager.c", "", "")?.trace;
        let all = env(&trace, &[])?;
        let (name, category) = match is_open_mpi(&mpi) {
            true => ("btl_vader_eager_limit", "*btl_vader"),
            false => ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "CH4"),
        };
        let first = all.find("\n! eager limits").context("no eager limits")?;
        let at = all.find(name).with_context(|| format!("no {name}\n{all}"))?;
        let other = all.find(if is_open_mpi(&mpi) { "btl_vader_verbose" } else { "MPIR_CVAR_DIMS_VERBOSE" });
        ensure!(first < at && other.is_none_or(|other| at < other), "{}: {first} {at} {other:?}", mpi.name);
        let one = env(&trace, &["--filter", &name.to_lowercase()])?;
        ensure!(one.matches(" = ").count() == 1 && one.contains(name), "{}\n{one}", mpi.name);
        let some: Value = serde_json::from_str(&env(&trace, &["--category", category, "--format", "json"])?)?;
        let groups = some["groups"].as_array().context("no groups")?;
        let listed = groups.iter().filter_map(|g| g["variables"].as_array()).flatten();
        let names: Vec<&str> = listed.filter_map(|v| v["name"].as_str()).collect();
        ensure!(names.contains(&name) && names.len() < all.matches(" = ").count() / 2, "{}: {names:?}", mpi.name);
        let none = env(&trace, &["--filter", "there is no such variable"])?;
        ensure!(none.contains("no variable fits"), "{none}");
    }
    Ok(())
}

#[test]
fn changed_variables_are_marked() -> Result<()> {
    for mpi in share::mpis("changed_variables_are_marked") {
        let (name, value, other) = match is_open_mpi(&mpi) {
            true => ("btl_vader_eager_limit", "512", "coll_tuned_bcast_algorithm=3"),
            false => ("MPIR_CVAR_BCAST_SHORT_MSG_SIZE", "100", "MPIR_CVAR_BCAST_MIN_PROCS=4"),
        };
        let vetted = vetted(&mpi, "eager.c", "", &format!("--cvar {name}={value} --cvar {other}"))?;
        let variables = job_of(&vetted)?.variables.context("no variables")?;
        let is = |name: &str| variables.named(name).and_then(|c| c.value.clone());
        ensure!(is(name).as_deref() == Some(value), "{}: {:?}\n{}", mpi.name, is(name), last_words(&vetted.outcome));
        let (second, wanted) = other.split_once('=').context("no =")?;
        ensure!(is(second).as_deref() == Some(wanted), "{}: {:?}", mpi.name, is(second));
        let changed = env(&vetted.trace, &["--changed"])?;
        for name in [name, second] {
            let marked = changed.lines().any(|l| l.contains(name) && l.ends_with("<- set by --cvar"));
            ensure!(marked, "{}: {name}\n{changed}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn what_the_library_refuses_is_said() -> Result<()> {
    for mpi in share::mpis("what_the_library_refuses_is_said") {
        let refused: &[(&str, &str)] = match is_open_mpi(&mpi) {
            true => &[
                ("btl_vader_eager_limt=1", "no control variable of this name; did you mean btl_vader_eager_limit"),
                ("coll_tuned_bcast_algorithm=-x", "type MPI_INT, which takes 0 (ignore)"),
                ("dl_dlopen_major_version=9", "its scope is MPI_T_SCOPE_CONSTANT: it cannot be changed"),
            ],
            false => &[
                ("MPIR_CVAR_BCAST_SHORT_MSG_SIZ=1", "did you mean MPIR_CVAR_BCAST_SHORT_MSG_SIZE"),
                (
                    "MPIR_CVAR_BCAST_MIN_PROCS=few",
                    "`few` is no value of this variable of type MPI_INT, which takes an integer",
                ),
            ],
        };
        for (wish, why) in refused {
            let vetted = vetted(&mpi, "eager.c", "ordered", &format!("--cvar {wish}"))?;
            let said = &vetted.outcome.stderr;
            let line = said.lines().find(|l| l.starts_with("mpivet: --cvar") && l.contains("is not in force"));
            let line = line.with_context(|| format!("{}: nothing said of {wish}\n{said}", mpi.name))?;
            ensure!(line.contains(why), "{}: {line}", mpi.name);
            ensure!(vetted.outcome.stdout.contains("through"), "{}: {said}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn stress_makes_sends_hang_that_rely_on_buffering() -> Result<()> {
    for mpi in share::mpis("stress_makes_sends_hang_that_rely_on_buffering") {
        let through = vetted(&mpi, "eager.c", "", "")?;
        let checks = |v: &Vetted| v.report.findings.iter().map(|f| f.check.clone()).collect::<Vec<_>>();
        ensure!(checks(&through) == ["potential-deadlock"], "{}: {:?}", mpi.name, checks(&through));
        ensure!(through.outcome.stdout.contains("through"), "{}", mpi.name);
        let name = if is_open_mpi(&mpi) { "btl_vader_eager_limit" } else { "UCX_RNDV_THRESH" };
        let note = vet::analyze(&through.trace)?;
        ensure!(note.contains(&format!("{name} decides up to which size")), "{}\n{note}", mpi.name);
        let value = job_of(&through)?.variables.and_then(|all| all.named(name)?.value.clone());
        let value = value.map_or("it is not set".to_owned(), |value| format!("it is {value}"));
        ensure!(note.contains(&value), "{}: {value}\n{note}", mpi.name);

        let stuck = vetted(&mpi, "eager.c", "", "--stress")?;
        ensure!(checks(&stuck) == ["real-deadlock"], "{}: {:?}", mpi.name, checks(&stuck));
        let fine = vetted(&mpi, "eager.c", "ordered", "--stress")?;
        ensure!(checks(&fine).is_empty(), "{}: {:?}", mpi.name, checks(&fine));
        ensure!(fine.outcome.stdout.contains("through"), "{}\n{}", mpi.name, last_words(&fine.outcome));
    }
    Ok(())
}

/// The largest reading of a variable on a rank, by the JSON report.
fn most(vetted: &Vetted, variable: &str, rank: u64) -> Result<Option<f64>> {
    let text = std::fs::read_to_string(vetted.trace.with_file_name("report.json"))?;
    let json: Value = serde_json::from_str(&text)?;
    let samples = json["samples"].as_array().cloned().unwrap_or_default();
    let of = samples.iter().filter(|s| s["variable"] == variable && s["rank"] == rank);
    Ok(of.filter_map(|s| s["most"].as_f64()).reduce(f64::max))
}

/// The value on the time line of the page.
fn on_time_line(vetted: &Vetted, variable: &str, rank: u64) -> Result<Option<f64>> {
    let page = vetted.trace.with_file_name("report.html");
    let mut command = vet::command()?;
    command.arg("analyze").arg(&vetted.trace).arg("--report").arg(&page);
    run::run(command, LIMIT)?;
    let text = std::fs::read_to_string(&page)?;
    let data = text.split_once("type=\"application/json\"").and_then(|(_, rest)| rest.split_once('>'));
    let data = data.and_then(|(_, rest)| rest.split_once("</script>")).context("the page has no data")?.0;
    let json: Value = serde_json::from_str(data)?;
    let curves = json["timeline"]["samples"].as_array().cloned().unwrap_or_default();
    let of = curves.iter().filter(|c| c["variable"] == variable && c["rank"] == rank);
    let points = of.flat_map(|c| c["points"].as_array().cloned().unwrap_or_default());
    Ok(points.filter_map(|p| p[1].as_f64()).reduce(f64::max))
}

#[test]
fn unexpected_messages_are_counted_while_the_program_runs() -> Result<()> {
    const UNEXPECTED: &str = "pml_ob1_unexpected_msgq_length";
    for mpi in share::mpis("unexpected_messages_are_counted_while_the_program_runs") {
        for how in ["", "hang"] {
            let vetted = vetted(&mpi, "unexpected.c", how, "--pvars=@20ms")?;
            let report = vet::analyze(&vetted.trace)?;
            if !is_open_mpi(&mpi) {
                let said = &vetted.outcome.stderr;
                ensure!(said.contains("the library has no performance variable"), "{}: {said}", mpi.name);
                continue;
            }
            ensure!(most(&vetted, UNEXPECTED, 1)? == Some(200.0), "{how}\n{report}");
            ensure!(most(&vetted, UNEXPECTED, 0)? == Some(0.0), "{how}\n{report}");
            ensure!(report.contains("unexpected messages grew to 200 on rank 1"), "{how}\n{report}");
            let posted = most(&vetted, "pml_ob1_posted_recvq_length", 0)?;
            ensure!(how.is_empty() || posted == Some(1.0), "{posted:?}\n{report}");
            ensure!(on_time_line(&vetted, UNEXPECTED, 1)? == Some(200.0), "{how}: not on the time line");
            let hangs = vetted.report.findings.iter().any(|f| f.check == "real-deadlock");
            ensure!(hangs != how.is_empty(), "{how}\n{report}");
        }
        let without = vetted(&mpi, "unexpected.c", "", "")?;
        ensure!(most(&without, UNEXPECTED, 1)?.is_none(), "{}: read without being asked to", mpi.name);
    }
    Ok(())
}

/// A variable that counts only between its start and its stop, and that the user names.
#[test]
fn variables_that_must_be_started_are() -> Result<()> {
    const COUNT: &str = "coll_monitoring_a2a_count";
    for mpi in mpi::required().into_iter().filter(is_open_mpi) {
        let program = compile(&mpi, &root().join("tests/programs/counted.c"), &scratch())?;
        let mut job = mpi.job(2, &program, &[]);
        // Its component that counts is off unless it is asked for.
        let on = words("--mca pml_monitoring_enable 2 --mca coll_monitoring_priority 90");
        job.splice(1..1, on);
        let dir = scratch().join("variables").join(format!("{}-started", mpi.name));
        let vetted = vet_with(&[format!("--pvars={COUNT}@10ms")], &job, &dir, LIMIT)?;
        let variables = job_of(&vetted)?.variables.context("no variables")?;
        let listed = variables.performance.iter().find(|v| v.name == COUNT).context("it is not listed")?;
        ensure!(!listed.continuous, "it needs no start");
        // There is a message to the other rank for each reduction; some of the last ones come after the last reading.
        let most = most(&vetted, COUNT, 0)?;
        ensure!(most.is_some_and(|most| (50.0..=160.0).contains(&most)), "{most:?}\n{}", last_words(&vetted.outcome));
    }
    Ok(())
}
