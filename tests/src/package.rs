//! The Python package as users get it: installed files, the wheel made of them, and environments that it is installed in.

use crate::python::Python;
use crate::{root, run, scratch, vet};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

/// Runs a command that must succeed; its standard output.
///
/// # Errors
/// It cannot be run, takes minutes, or fails: the error has its last words.
pub fn succeed(command: Command) -> Result<String> {
    let what = format!("{command:?}");
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code == Some(0), "{what}: {:?}\n{}", outcome.code, vet::last_words(&outcome));
    Ok(outcome.stdout)
}

/// Installs the mpivet of this build to `prefix`, which is made anew.
///
/// # Errors
/// It is not built, or `scripts/install` fails.
pub fn install(prefix: &Path) -> Result<()> {
    let built = vet::mpivet()?;
    ensure!(
        built.with_file_name("share").is_dir(),
        "no share/ beside {}: scripts/build makes it, cargo alone does not",
        built.display()
    );
    _ = std::fs::remove_dir_all(prefix);
    let target = built.ancestors().nth(2).context("mpivet is not in a target directory")?;
    let mut install = Command::new(root().join("scripts/install"));
    install.arg("--built").arg(prefix).env("CARGO_TARGET_DIR", target);
    succeed(install).map(|_| ())
}

/// Makes a wheel of the installation at `prefix` in `dir`; its path.
///
/// # Errors
/// `scripts/package-wheel` fails.
pub fn wheel_of(python: &Python, prefix: &Path, dir: &Path) -> Result<PathBuf> {
    let mut package = Command::new(root().join("scripts/package-wheel"));
    package.arg(prefix).arg(dir).env("PYTHON", &python.program).env("SOURCE_DATE_EPOCH", "1700000000");
    Ok(PathBuf::from(succeed(package)?.trim_end()))
}

/// The wheel of this build, without debug information.
///
/// # Errors
/// It cannot be made.
pub fn wheel(python: &Python) -> Result<PathBuf> {
    static WHEEL: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = WHEEL.get_or_init(|| {
        let make = || -> Result<PathBuf> {
            let place = scratch().join("wheel");
            install(&place.join("prefix"))?;
            let mut strip = Command::new("strip");
            strip.arg("--strip-debug").arg(place.join("prefix/bin/mpivet"));
            for library in std::fs::read_dir(place.join("prefix/lib"))? {
                let path = library?.path();
                if path.extension().is_some_and(|e| e == "so") {
                    strip.arg(path);
                }
            }
            succeed(strip)?;
            wheel_of(python, &place.join("prefix"), &place)
        };
        make().map_err(|error| format!("{error:#}"))
    });
    made.clone().map_err(anyhow::Error::msg)
}

/// A virtual environment.
pub struct Environment {
    pub dir: PathBuf,
    /// Its interpreter.
    pub python: Python,
    /// The interpreter whose pip is used.
    pip: PathBuf,
}

impl Environment {
    /// Makes one in `dir`, anew. It has nothing.
    ///
    /// # Errors
    /// Python has no venv module.
    pub fn empty(python: &Python, dir: &Path) -> Result<Environment> {
        _ = std::fs::remove_dir_all(dir);
        let mut venv = Command::new(&python.program);
        venv.args(["-m", "venv", "--without-pip"]).arg(dir);
        succeed(venv)?;
        let interpreter = Python { version: python.version.clone(), program: dir.join("bin/python") };
        Ok(Environment { dir: dir.to_owned(), python: interpreter, pip: python.program.clone() })
    }

    /// Makes one in `dir`, anew. It has mpi4py and pytest of `python`.
    ///
    /// # Errors
    /// Python has no venv module.
    pub fn new(python: &Python, dir: &Path) -> Result<Environment> {
        let environment = Environment::empty(python, dir)?;
        let mut site = Command::new(&python.program);
        site.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
        let packages = succeed(site)?;
        let own = Path::new(packages.trim_end());
        let relative = own.strip_prefix(python.program.ancestors().nth(2).context("no environment")?)?;
        std::fs::write(dir.join(relative).join("others.pth"), packages)?;
        Ok(environment)
    }

    /// pip with these arguments, for this environment.
    ///
    /// # Errors
    /// pip fails.
    pub fn pip(&self, arguments: &[&str]) -> Result<String> {
        let mut pip = Command::new(&self.pip);
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "--python"]).arg(&self.python.program);
        pip.args(arguments);
        succeed(pip)
    }

    /// All files and links in it but compiled modules, sorted.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let (mut found, mut open) = (Vec::new(), vec![self.dir.clone()]);
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(&dir)? {
                let path = entry?.path();
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                } else if path.extension().is_none_or(|e| e != "pyc") {
                    found.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }
}
