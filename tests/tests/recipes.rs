//! The recipes of `examples/ci/`, followed to the letter: CTest and pytest as they are, and the shell
//! steps of the GitHub action and of the GitLab job, each with a program that is right and one that is not.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::vet::{last_words, mpivet};
use mpivet_tests::{package, python, root, scratch};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
/// Lets the tests pass on a machine without CMake, or jq.
const NO_TOOLS: &str = "MPIVET_TEST_NO_CI_TOOLS";

/// A directory in which a recipe is followed.
struct Kitchen {
    dir: PathBuf,
    mpi: Mpi,
}

impl Kitchen {
    fn new(name: &str) -> Result<Kitchen> {
        let dir = scratch().join(format!("recipe-{name}"));
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("bin"))?;
        let mpi = mpi::first().context("no MPI")?;
        std::os::unix::fs::symlink(std::fs::canonicalize(mpivet()?)?, dir.join("bin/mpivet"))?;
        // Not a link: launchers look for their helpers beside the name that they are called by.
        let (launcher, script) =
            (dir.join("bin/mpirun"), format!("#!/bin/sh\nexec {} \"$@\"\n", mpi.mpiexec.display()));
        std::fs::write(&launcher, script)?;
        std::fs::set_permissions(&launcher, std::fs::Permissions::from_mode(0o755))?;
        Ok(Kitchen { dir, mpi })
    }

    /// Compiles a program of the example of CMake.
    fn compile(&self, source: &str, program: &str) -> Result<()> {
        let mut command = self.mpi.compiler(&self.mpi.mpicc);
        let path = root().join("examples/ci/cmake").join(source);
        std::fs::copy(&path, self.dir.join(source))?;
        command.current_dir(&self.dir).args(["-g", "-O1", "-o", program, source]);
        command.arg(format!("-I{}", root().join("include").display()));
        self.succeed(command).map(|_| ())
    }

    /// A command as a CI job would run it.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.dir.join("bin").display())).current_dir(&self.dir);
        for name in ["GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS", "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "MPIVET"] {
            command.env_remove(name);
        }
        Mpi::prepare(&mut command);
        command
    }

    /// Runs a script in the way of a CI system: it ends with the first command that fails.
    fn script(&self, script: &str, environment: &[(String, String)]) -> Result<Outcome> {
        let mut command = self.command("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        run::run(command, LIMIT)
    }

    fn succeed(&self, command: Command) -> Result<Outcome> {
        let what = format!("{command:?}");
        let outcome = run::run(command, LIMIT)?;
        ensure!(outcome.code == Some(0), "{what}: {:?}\n{}", outcome.code, last_words(&outcome));
        Ok(outcome)
    }

    fn read(&self, file: &str) -> Result<String> {
        std::fs::read_to_string(self.dir.join(file)).with_context(|| format!("no {file}"))
    }

    fn json(&self, file: &str) -> Result<Value> {
        serde_json::from_str(&self.read(file)?).with_context(|| format!("{file} is not JSON"))
    }
}

/// Copies the files of a directory.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in std::fs::read_dir(from)? {
        let file = file?;
        if file.file_type()?.is_file() {
            std::fs::copy(file.path(), to.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// Is the tool there? An error if it is not, unless the environment says that this is all right.
fn has(tool: &str) -> Result<bool> {
    let there = Command::new(tool).arg("--version").output().is_ok();
    let allowed = std::env::var_os(NO_TOOLS).is_some_and(|v| v == "1");
    ensure!(there || allowed, "no {tool}: scripts/install-deps installs it; {NO_TOOLS}=1 does without these tests");
    Ok(there)
}

/// A Python that has these modules; `None` if the environment says that there need be none.
fn python_with(modules: &str) -> Result<Option<PathBuf>> {
    let named = std::env::var_os("MPIVET_TEST_PYTHON").map(PathBuf::from);
    let made = python::required()?.into_iter().map(|p| p.program);
    let has_them = |python: &PathBuf| {
        let import = Command::new(python).args(["-c", &format!("import {modules}")]).output();
        import.is_ok_and(|output| output.status.success())
    };
    let found = named.into_iter().chain(made).chain([PathBuf::from("python3")]).find(has_them);
    let allowed = std::env::var_os(python::NO_PYTHON).is_some_and(|v| v == "1");
    ensure!(found.is_some() || allowed, "no Python with {modules}: scripts/install-python makes one");
    Ok(found)
}

/// A YAML file of `examples/ci/`.
fn yaml(python: &Path, file: &str) -> Result<Value> {
    let path = root().join("examples/ci").join(file);
    let program = "import json, sys, yaml; print(json.dumps(yaml.load(open(sys.argv[1]), yaml.BaseLoader)))";
    let output = Command::new(python).args(["-c", program]).arg(&path).output()?;
    ensure!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The example of CMake, with an installation that has been moved.
#[test]
fn ctest() -> Result<()> {
    if !has("cmake")? || !has("ctest")? {
        return Ok(());
    }
    let kitchen = Kitchen::new("ctest")?;
    copy(&root().join("examples/ci/cmake"), &kitchen.dir)?;
    package::install(&kitchen.dir.join("prefix"))?;
    std::fs::rename(kitchen.dir.join("prefix"), kitchen.dir.join("moved"))?;
    let mut configure = kitchen.command("cmake");
    let define = |name: &str, path: &Path| format!("-D{name}={}", path.display());
    let root = define("mpivet_ROOT", &kitchen.dir.join("moved"));
    configure.args(["-S", ".", "-B", "build", &root]);
    configure.arg(define("MPI_C_COMPILER", &kitchen.mpi.mpicc));
    configure.arg(define("MPIEXEC_EXECUTABLE", &kitchen.mpi.mpiexec));
    kitchen.succeed(configure)?;
    let mut build = kitchen.command("cmake");
    build.args(["--build", "build"]);
    kitchen.succeed(build)?;
    // Twice: mpivet writes no trace over another one.
    for _ in 0..2 {
        let mut test = kitchen.command("ctest");
        test.args(["--test-dir", "build", "--output-on-failure", "-j", "2"]);
        let outcome = run::run(test, LIMIT)?;
        let said = |text: &str| outcome.stdout.contains(text);
        let good = said("- ring-unfinished (Failed)") && said(" 1 tests failed out of 3") && !said("Not Run");
        let report = said("error[MV101] unfinished-send: ");
        ensure!(good && report && outcome.code == Some(8), "{:?}\n{}", outcome.code, last_words(&outcome));
    }
    let found = kitchen.json("build/mpivet/ring-unfinished/mpivet.json")?;
    ensure!(found["task"]["ranks"] == 3 && found["findings"][0]["check"] == "unfinished-send", "{found}");
    ensure!(kitchen.read("build/mpivet/ring-unfinished/mpivet.xml")?.contains("<failure"), "no failure in JUnit");
    ensure!(kitchen.json("build/mpivet/ring/mpivet.json")?["findings"] == Value::Array(Vec::new()), "a false alarm");
    // Mistakes of a project.
    let head = "cmake_minimum_required(VERSION 3.18)\nproject(x NONE)\nset(MPIEXEC_EXECUTABLE mpiexec)\n";
    std::fs::create_dir_all(kitchen.dir.join("wrong"))?;
    let cases = [
        ("find_package(mpivet REQUIRED)\nmpivet_add_test(NAME a)", "needs NAME and COMMAND"),
        (
            "find_package(mpivet REQUIRED)\nmpivet_add_test(NAME a COMMAND b RANKS 3 NP 3)\nmpivet_add_test(NUMPROCS 3)",
            "what is NUMPROCS",
        ),
        (
            "unset(MPIEXEC_EXECUTABLE)\nfind_package(mpivet REQUIRED)\nmpivet_add_test(NAME a COMMAND b)",
            "find_package(MPI) must come first",
        ),
        ("find_package(mpivet 999 REQUIRED)", "version: 0."),
    ];
    for (call, why) in cases {
        std::fs::write(kitchen.dir.join("wrong/CMakeLists.txt"), format!("{head}{call}\n"))?;
        let mut configure = kitchen.command("cmake");
        configure.args(["-S", "wrong", "-B", "wrong/build", &root]);
        let outcome = run::run(configure, LIMIT)?;
        ensure!(outcome.code == Some(1) && outcome.stderr.contains(why), "{call}\n{}", last_words(&outcome));
    }
    Ok(())
}

#[test]
fn pytest() -> Result<()> {
    let Some(python) = python_with("pytest")? else { return Ok(()) };
    let kitchen = Kitchen::new("pytest")?;
    copy(&root().join("examples/ci/pytest"), &kitchen.dir)?;
    kitchen.compile("ring.c", "ring")?;
    kitchen.compile("ring-unfinished.c", "ring-unfinished")?;
    let mut test = kitchen.command(python);
    test.args(["-m", "pytest", "-v", "-p", "no:cacheprovider", "--basetemp", "files", "--import-mode=importlib"]);
    // The accepted findings are where the example has them.
    test.arg(root().join("examples/ci/pytest")).env("PYTHONDONTWRITEBYTECODE", "1");
    test.env("RING_LAUNCHER", "mpirun -n 3").env("RING_PROGRAMS", &kitchen.dir);
    let outcome = run::run(test, LIMIT)?;
    let said = |text: &str| outcome.stdout.contains(text);
    let good = ["test_ring", "test_ring_that_is_looked_into", "test_ring_that_is_accepted"];
    let passed = good.iter().all(|test| said(&format!("::{test} PASSED")));
    let failed = said("::test_ring_unfinished FAILED") && said("mpivet: exit code 1");
    let told = said("error[MV101] unfinished-send") && said("3 passed") && said("1 failed");
    ensure!(passed && failed && told && outcome.code == Some(1), "{:?}\n{}", outcome.code, last_words(&outcome));
    Ok(())
}

/// The value of a text with `${{ inputs.NAME }}` in it.
fn with_inputs(text: &str, inputs: &Value) -> Result<String> {
    let mut text = text.to_owned();
    while let Some((before, rest)) = text.split_once("${{") {
        let (expression, after) = rest.split_once("}}").context("no }}")?;
        let name = expression.trim().strip_prefix("inputs.").with_context(|| format!("what is {expression}?"))?;
        let value = inputs[name].as_str().with_context(|| format!("there is no input {name}"))?;
        text = format!("{before}{value}{after}");
    }
    Ok(text)
}

#[test]
fn github_action() -> Result<()> {
    let Some(python) = python_with("yaml")? else { return Ok(()) };
    let action = yaml(&python, "github-action/action.yml")?;
    ensure!(action["runs"]["using"] == "composite", "{action}");
    let steps = action["runs"]["steps"].as_array().context("no steps")?;
    for step in steps {
        ensure!(step["uses"].is_string() != (step["run"].is_string() && step["shell"] == "bash"), "{step}");
    }
    let workflow = yaml(&python, "github-action/workflow.yml")?;
    let uses = workflow["jobs"]["mpivet"]["steps"].as_array().context("no steps")?;
    let ours = uses.iter().find(|s| s["uses"] == "./.github/actions/mpivet").context("it does not use the action")?;
    let inputs = action["inputs"].as_object().context("no inputs")?;
    for name in ours["with"].as_object().context("no inputs")?.keys() {
        ensure!(inputs.contains_key(name), "the action has no input {name}");
    }
    for (name, input) in inputs.iter().filter(|(_, input)| input["required"] == "true") {
        ensure!(ours["with"][name].is_string(), "the workflow lacks {name}: {input}");
    }

    let kitchen = Kitchen::new("github")?;
    kitchen.compile("ring.c", "ring")?;
    kitchen.compile("ring-unfinished.c", "ring-unfinished")?;
    std::fs::copy(root().join("examples/ci/cmake/accepted.toml"), kitchen.dir.join("accepted.toml"))?;
    let run = |with: &[(&str, &str)]| -> Result<Outcome> {
        let mut values: Value = inputs.iter().map(|(n, i)| (n.clone(), i["default"].clone())).collect();
        with.iter().for_each(|(name, value)| values[*name] = Value::from(*value));
        let step = steps.iter().find(|s| s["run"].is_string()).context("no script")?;
        let environment = step["env"].as_object().context("no environment")?.iter();
        let environment: Result<Vec<(String, String)>> = environment
            .map(|(name, value)| Ok((name.clone(), with_inputs(value.as_str().unwrap_or_default(), &values)?)))
            .collect();
        kitchen.script(step["run"].as_str().unwrap_or_default(), &environment?)
    };
    let good = run(&[("command", "mpirun -n 2 ./ring"), ("fail-on", "note")])?;
    ensure!(good.code == Some(0) && !good.stdout.contains("::error"), "{}", last_words(&good));
    ensure!(kitchen.json("mpivet-report/mpivet.json")?["findings"] == Value::Array(Vec::new()));

    // Words of the shell stay what they are.
    let bad = run(&[("command", "mpirun -n 3 ./ring-unfinished 'two words'"), ("args", "--severity 'MV1*=warning'")])?;
    ensure!(bad.code == Some(0) && bad.stdout.contains("::warning "), "{}", last_words(&bad));
    let json = kitchen.json("mpivet-report/mpivet.json")?;
    ensure!(json["task"]["arguments"] == serde_json::json!(["two words"]) && json["task"]["warnings"] == 1, "{json}");
    let bad = run(&[("command", "mpirun -n 3 ./ring-unfinished")])?;
    ensure!(bad.code == Some(1) && bad.stdout.contains("::error ") && bad.stderr.contains("error[MV101]"), "{bad:?}");
    let sarif = kitchen.json("mpivet-report/mpivet.sarif")?;
    ensure!(sarif["version"] == "2.1.0" && sarif["runs"][0]["results"][0]["ruleId"] == "MV101", "{sarif}");

    let accepted = [("command", "mpirun -n 3 ./ring-unfinished"), ("suppressions", "accepted.toml")];
    let outcome = run(&accepted)?;
    ensure!(outcome.code == Some(0) && !outcome.stdout.contains("::error"), "{}", last_words(&outcome));
    let result = &kitchen.json("mpivet-report/mpivet.sarif")?["runs"][0]["results"][0];
    let (why, state) = (&result["suppressions"][0], &result["baselineState"]);
    ensure!(why["kind"] == "external" && why["justification"].is_string() && state.is_null(), "{result}");
    let known = run(&[("command", "mpirun -n 3 ./ring-unfinished")])?;
    ensure!(known.code == Some(1), "{}", last_words(&known));
    std::fs::copy(kitchen.dir.join("mpivet-report/mpivet.json"), kitchen.dir.join("baseline.json"))?;
    let known = run(&[("command", "mpirun -n 3 ./ring-unfinished"), ("baseline", "baseline.json")])?;
    ensure!(known.code == Some(0) && !known.stdout.contains("::error"), "{}", last_words(&known));
    let result = &kitchen.json("mpivet-report/mpivet.sarif")?["runs"][0]["results"][0];
    let print = result["partialFingerprints"]["mpivetFinding/v1"].as_str().unwrap_or_default();
    ensure!(result["baselineState"] == "unchanged" && print.starts_with("v1-"), "{result}");
    Ok(())
}

#[test]
fn gitlab_job() -> Result<()> {
    let Some(python) = python_with("yaml")? else { return Ok(()) };
    if !has("jq")? {
        return Ok(());
    }
    let job = &yaml(&python, "gitlab/mpivet.gitlab-ci.yml")?["mpivet"];
    let reports = &job["artifacts"]["reports"];
    ensure!(reports["junit"] == "mpivet.xml" && reports["codequality"] == "mpivet-codequality.json", "{job}");
    let script = |key: &str| -> Result<String> {
        let lines = job[key].as_array().with_context(|| format!("no {key}"))?;
        Ok(lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
    };
    let kitchen = Kitchen::new("gitlab")?;
    let mut environment =
        vec![("CI_PROJECT_DIR".to_owned(), std::fs::canonicalize(&kitchen.dir)?.display().to_string())];
    for (name, value) in job["variables"].as_object().context("no variables")? {
        environment.push((name.clone(), value.as_str().unwrap_or_default().to_owned()));
    }
    for (source, findings) in [("ring.c", 0), ("ring-unfinished.c", 1)] {
        kitchen.compile(source, "app")?;
        let outcome = kitchen.script(&script("script")?, &environment)?;
        ensure!(outcome.code == Some(findings), "{source}: {}", last_words(&outcome));
        let after = kitchen.script(&script("after_script")?, &environment)?;
        ensure!(after.code == Some(0), "{source}: {}", last_words(&after));
        let quality = kitchen.json("mpivet-codequality.json")?;
        let entries = quality.as_array().context("not a list")?;
        ensure!(entries.len() == usize::try_from(findings)?, "{source}: {quality}");
        for entry in entries {
            let place = &entry["location"];
            ensure!(place["path"] == source && place["lines"]["begin"] == 9, "{entry}");
            ensure!(entry["severity"] == "critical" && entry["check_name"] == "unfinished-send", "{entry}");
            ensure!(entry["fingerprint"].as_str().is_some_and(|f| f.starts_with("v1-")), "{entry}");
        }
        ensure!(kitchen.read("mpivet.xml")?.contains("<failure") == (findings == 1), "{source}: JUnit");
    }
    Ok(())
}
