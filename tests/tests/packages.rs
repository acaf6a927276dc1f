//! Users get these files: which systems they run on, and how large they are. With `MPIVET_TEST_FULL=1` all packages are made,
//! installed in clean systems and removed (`scripts/test-packages`).

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::package::succeed;
use mpivet_tests::share::is_full;
use mpivet_tests::{root, scratch, vet};
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARIES: [&str; 5] =
    ["libmpivet.so", "libmpivet_heap.so", "libmpivet_precise.so", "libmpivet_queues.so", "libmpivet_symbols.so"];

/// The files of the build under test, if it is one for packages (`scripts/build --portable`), as in CI.
fn portable() -> Result<Option<Vec<PathBuf>>> {
    let mpivet = vet::mpivet()?;
    let is_portable = mpivet.ancestors().any(|dir| dir.ends_with("x86_64-unknown-linux-gnu/release"));
    ensure!(
        is_portable || std::env::var_os("CI").is_none(),
        "CI tests another build than users get: {}",
        mpivet.display()
    );
    let files = LIBRARIES.iter().map(|name| mpivet.with_file_name(name)).chain([mpivet.clone()]);
    Ok(is_portable.then(|| files.collect()))
}

/// The versions of symbols that a file wants, such as `GLIBC_2.14`.
fn versions(file: &Path) -> Result<Vec<String>> {
    let mut readelf = Command::new("readelf");
    readelf.args(["--wide", "--version-info"]).arg(file);
    let said = succeed(readelf)?;
    let names = said.lines().filter_map(|line| line.split_once("Name: ")?.1.split_whitespace().next());
    Ok(names.map(str::to_owned).collect())
}

#[test]
fn nothing_newer_than_glibc_2_17_is_wanted() -> Result<()> {
    let Some(files) = portable()? else { return Ok(()) };
    for file in &files {
        let versions = versions(file)?;
        let of_glibc: Vec<&str> = versions.iter().filter_map(|version| version.strip_prefix("GLIBC_")).collect();
        ensure!(!of_glibc.is_empty(), "{}: {versions:?}", file.display());
        for version in of_glibc {
            let minor = version.strip_prefix("2.").and_then(|rest| rest.split('.').next()).context("not 2.x")?;
            ensure!(minor.parse::<u32>()? <= 17, "{} wants {version}", file.display());
        }
        // The unwinder of GCC is that of the system: one of our own would take locks in signal handlers.
        ensure!(!versions.iter().any(|version| version.starts_with("GLIBCXX")), "{}: {versions:?}", file.display());
        let has_unwinder = versions.iter().any(|version| version.starts_with("GCC_"));
        ensure!(has_unwinder || file.ends_with("libmpivet_heap.so"), "{}: {versions:?}", file.display());
    }
    Ok(())
}

#[test]
fn the_files_are_small_enough_to_download() -> Result<()> {
    let Some(files) = portable()? else { return Ok(()) };
    // CI's profile does not optimize across crates, and its files are a fifth larger.
    let is_quick = std::env::var("CARGO_PROFILE_RELEASE_LTO").is_ok_and(|lto| lto == "off");
    let limit = |bytes: u64| if is_quick { bytes * 6 / 5 } else { bytes };
    for file in &files {
        let name = file.file_name().unwrap_or_default();
        let stripped = scratch().join("stripped").join(name);
        std::fs::create_dir_all(stripped.parent().context("no parent")?)?;
        let mut strip = Command::new("strip");
        strip.arg("-o").arg(&stripped).arg(file);
        succeed(strip)?;
        let (size, most) = (stripped.metadata()?.len(), if name == "mpivet" { 15_000_000 } else { 5_000_000 });
        ensure!(size <= limit(most), "{} has {size} bytes without debug information", name.display());
    }
    Ok(())
}

/// `bin/mpivet` of the tar file is a script before the program.
#[test]
fn the_command_of_the_tar_file_is_found_wherever_it_is_called() -> Result<()> {
    let home = scratch().join("tar file");
    _ = std::fs::remove_dir_all(&home);
    for dir in ["bin", "lib", "elsewhere"] {
        std::fs::create_dir_all(home.join(dir))?;
    }
    std::fs::copy(root().join("packaging/tar/mpivet"), home.join("bin/mpivet"))?;
    std::os::unix::fs::symlink("../bin/mpivet", home.join("elsewhere/mpivet"))?;
    let answer = |directory: &str, command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(home.join(directory));
        shell
            .env("PATH", std::env::join_paths([home.join("bin"), "/usr/bin".into(), "/bin".into()])?)
            .output()
            .context("sh")
    };
    let missing = answer("", "mpivet --version")?;
    let said = String::from_utf8_lossy(&missing.stderr);
    ensure!(missing.status.code() == Some(3) && said.contains("lib/mpivet: unpack the whole tar file"), "{missing:?}");
    std::os::unix::fs::symlink(vet::mpivet()?, home.join("lib/mpivet"))?;
    for (directory, command) in [
        ("", "mpivet"),
        ("", "bin/mpivet"),
        ("bin", "./mpivet"),
        ("bin", "sh mpivet"),
        ("elsewhere", "./mpivet"),
        ("elsewhere", "PATH=$PWD:/usr/bin:/bin mpivet"),
    ] {
        let shown = answer(directory, &format!("{command} --version"))?;
        ensure!(shown.status.success() && shown.stdout.starts_with(b"mpivet "), "{command} in {directory}: {shown:?}");
        // Quoted words stay together.
        let refused = answer(directory, &format!("{command} explain 'no check * of this name'"))?;
        let said = String::from_utf8_lossy(&refused.stderr);
        ensure!(!refused.status.success() && said.contains("no check * of this name"), "{command}: {said}");
    }
    Ok(())
}

#[test]
fn all_packages_are_installed_run_and_removed_in_clean_systems() -> Result<()> {
    if !is_full() {
        return Ok(());
    }
    for script in ["scripts/package", "scripts/test-packages"] {
        let status = Command::new(root().join(script)).env_remove("CARGO_TARGET_DIR").status()?;
        ensure!(status.success(), "{script}: {status}");
    }
    Ok(())
}

#[test]
fn a_release_has_its_version_everywhere() -> Result<()> {
    let clone = scratch().join("release");
    _ = std::fs::remove_dir_all(&clone);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y"]).args(arguments);
        git
    };
    let mut copy = git(&["clone", "--quiet", "--no-local", "--depth", "1"]);
    copy.arg(root()).arg(&clone);
    succeed(copy)?;
    let release = |version: &str| {
        let mut release = Command::new(clone.join("scripts/release"));
        release.args([version, "--no-packages"]).env_remove("CARGO_TARGET_DIR");
        for (name, value) in [("AUTHOR", "x"), ("COMMITTER", "x")] {
            release.env(format!("GIT_{name}_NAME"), value).env(format!("GIT_{name}_EMAIL"), "x@y");
        }
        release
    };
    succeed(release("97.1.2"))?;
    let read = |name: &str| std::fs::read_to_string(clone.join(name)).with_context(|| name.to_owned());
    let (manifest, lock, changes) = (read("Cargo.toml")?, read("Cargo.lock")?, read("CHANGELOG.md")?);
    let crates = manifest.lines().filter(|line| line.contains("package = \"mpivet-")).collect::<Vec<_>>();
    ensure!(crates.len() > 5 && crates.iter().all(|line| line.contains("97.1.2")), "{crates:?}");
    ensure!(lock.contains("name = \"mpivet\"\nversion = \"97.1.2\""), "Cargo.lock");
    ensure!(changes.contains("## Unreleased\n\n## 97.1.2 ("), "CHANGELOG.md");
    let mut tags = git(&["tag", "--points-at", "HEAD"]);
    tags.current_dir(&clone);
    ensure!(succeed(tags)?.trim() == "v97.1.2", "the tag");
    // The section is empty now.
    ensure!(succeed(release("97.1.3")).is_err(), "a release without changes");
    ensure!(succeed(release("97.1")).is_err(), "a version with two numbers");
    Ok(())
}
