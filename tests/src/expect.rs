//! Expectations in the comments of a program, and whether a report meets them.
//!
//! The comment at the head of a program has lines of these forms:
//!
//! ```text
//! // ranks: 4                          how many ranks (4)
//! // args: 10 20                       arguments of the program (none)
//! // options: --check leak-message      options of mpivet run (none)
//! // timeout: 20                       seconds that a run may take (30)
//! // mpi: mpich !intel (why)           only under these MPIs or families, and not under those with `!`
//! // expect: abend ranks 3             one finding that must come, with its ranks if it says so
//! // expect-note: request-cancel ranks 0   one note that must come
//! // expect-later: send-checksum       a finding that a later version will make
//! // allow: request-cancel             a warning that is all right
// not-at-once: abend (why)          a finding of the process that it does not print in full
//! ```
//!
//! In Fortran a comment begins with `!`.
//!
//! `//~ CHECK` (`!~ CHECK` in Fortran) at the end of a line says that the finding of CHECK must name this line, `//~^ CHECK`
//! that it must name the line above. `ranks` comes first: the lines before it are prose.

use crate::mpi::Mpi;
use crate::report::{Finding, Report};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A program of the examples, with what its comments say.
#[derive(Debug, Clone)]
pub struct Program {
    pub path: PathBuf,
    /// The lines of the source.
    pub lines: Vec<String>,
    pub ranks: usize,
    pub args: Vec<String>,
    /// Options of `mpivet run`.
    pub options: Vec<String>,
    pub timeout: Duration,
    /// Names of MPIs and of families, those that it does not run under with `!`.
    pub mpis: Vec<String>,
    pub expected: Vec<Expected>,
    pub later: Vec<String>,
    pub allowed: Vec<String>,
    pub not_at_once: Vec<String>,
    pub marks: Vec<Mark>,
}

#[derive(Debug, Clone)]
pub struct Expected {
    pub check: String,
    /// `None` if the program does not say.
    pub ranks: Option<Vec<i64>>,
    /// It is no more than a note.
    pub note: bool,
}

/// A line of the source that the finding of a check must name. Lines count from 1.
#[derive(Debug, Clone)]
pub struct Mark {
    pub check: String,
    pub line: usize,
}

impl Program {
    pub fn read(path: &Path) -> Result<Program> {
        let text = std::fs::read_to_string(path)?;
        Program::parse(path, &text).with_context(|| format!("in the comments of {}", path.display()))
    }

    fn parse(path: &Path, text: &str) -> Result<Program> {
        let mut program = Program {
            path: path.to_owned(),
            lines: text.lines().map(str::to_owned).collect(),
            ranks: 4,
            args: Vec::new(),
            options: Vec::new(),
            timeout: Duration::from_secs(30),
            mpis: Vec::new(),
            expected: Vec::new(),
            later: Vec::new(),
            allowed: Vec::new(),
            not_at_once: Vec::new(),
            marks: Vec::new(),
        };
        let comment = if program.is_fortran() { "!" } else { "//" };
        let (first_key, mark) = (format!("{comment} ranks:"), format!("{comment}~"));
        let head = text.lines().take_while(|line| line.starts_with(comment));
        for line in head.skip_while(|line| !line.starts_with(&first_key)) {
            let Some((key, value)) = line.trim_start_matches(['/', '!']).trim().split_once(':') else { continue };
            let value = value.trim();
            let first = || value.split_whitespace().next().unwrap_or_default().to_owned();
            match key {
                "ranks" => program.ranks = value.parse().context("ranks")?,
                "args" => program.args = value.split_whitespace().map(str::to_owned).collect(),
                "options" => program.options = value.split_whitespace().map(str::to_owned).collect(),
                "timeout" => program.timeout = Duration::from_secs(value.parse().context("timeout")?),
                "mpi" => {
                    let names = value.split_whitespace().take_while(|word| !word.starts_with('('));
                    program.mpis = names.map(str::to_owned).collect();
                }
                "expect" => program.expected.push(Expected::parse(value)?),
                "expect-note" => program.expected.push(Expected { note: true, ..Expected::parse(value)? }),
                "expect-later" => program.later.push(first()),
                "allow" => program.allowed.push(first()),
                "not-at-once" => {
                    ensure!(value.contains('('), "not-at-once needs a reason");
                    program.not_at_once.push(first());
                }
                _ => bail!("unknown key `{key}`"),
            }
        }
        for (at, line) in text.lines().enumerate() {
            if let Some((_, check)) = line.rsplit_once(&mark) {
                let (check, line) = check.strip_prefix('^').map_or((check, at + 1), |check| (check, at));
                program.marks.push(Mark { check: check.trim().to_owned(), line });
            }
        }
        for mark in &program.marks {
            ensure!(
                program.expected.iter().any(|e| e.check == mark.check),
                "line {} is marked for {}, which is not expected",
                mark.line,
                mark.check
            );
        }
        Ok(program)
    }

    /// Its options that `mpivet analyze` has, too.
    pub fn analyze_options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut all = self.options.iter();
        while let Some(option) = all.next() {
            if ["--checksums", "--sample-over"].contains(&option.as_str()) {
                all.next();
            } else if option != "--heap" && !option.starts_with("--precise") {
                options.push(option.clone());
            }
        }
        options
    }

    fn is_fortran(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "f90")
    }

    pub fn runs_under(&self, mpi: &Mpi) -> bool {
        if self.is_fortran() && mpi.mpifort().is_none() {
            return false;
        }
        self.is_for(|name| mpi.is(name))
    }

    /// Is it for an MPI that is called by the names for which `is` holds?
    pub fn is_for(&self, is: impl Fn(&str) -> bool) -> bool {
        let mut only = self.mpis.iter().filter(|name| !name.starts_with('!')).peekable();
        let excluded = self.mpis.iter().filter_map(|name| name.strip_prefix('!')).any(&is);
        !excluded && (only.peek().is_none() || only.any(|name| is(name)))
    }

    pub fn file_name(&self) -> String {
        self.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    }

    /// The complaints about `report`: empty if it has the expected findings and no others.
    pub fn complaints(&self, report: &Report) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut unexpected: Vec<&Finding> =
            report.serious().filter(|f| f.severity == "error" || !self.allowed.contains(&f.check)).collect();
        let mut notes: Vec<&Finding> = report.findings.iter().filter(|f| f.severity == "note").collect();
        for expected in &self.expected {
            let findings = if expected.note { &mut notes } else { &mut unexpected };
            match findings.iter().position(|f| expected.is_met_by(f)) {
                Some(at) => complaints.extend(self.missing_marks(findings.swap_remove(at))),
                None => complaints.push(format!("missing: {expected}")),
            }
        }
        complaints.extend(unexpected.iter().map(|f| format!("unexpected: {f}")));
        for site in report.findings.iter().flat_map(|f| &f.sites) {
            let text = site.line.checked_sub(1).and_then(|at| self.lines.get(at));
            if site.file == self.file_name() && text.is_none_or(|text| text.trim() != site.source.trim()) {
                complaints.push(format!("line {} does not read `{}`", site.line, site.source));
            }
        }
        complaints
    }

    fn missing_marks(&self, finding: &Finding) -> Vec<String> {
        let marks = self.marks.iter().filter(|mark| mark.check == finding.check);
        let missing = marks
            .filter(|mark| !finding.sites.iter().any(|site| site.line == mark.line && site.file == self.file_name()));
        missing.map(|mark| format!("line {} is not among the places of: {finding}", mark.line)).collect()
    }
}

impl Expected {
    fn parse(text: &str) -> Result<Expected> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [check] => Ok(Expected { check: check.to_owned(), ranks: None, note: false }),
            [check, "ranks", list] => {
                let ranks = list.split(',').map(str::parse).collect::<Result<Vec<i64>, _>>();
                let ranks = Some(ranks.with_context(|| format!("ranks `{list}`"))?);
                Ok(Expected { check: check.to_owned(), ranks, note: false })
            }
            _ => bail!("`{text}` is not of the form CHECK [ranks 0,1,...]"),
        }
    }

    fn is_met_by(&self, finding: &Finding) -> bool {
        self.check == finding.check && self.ranks.as_ref().is_none_or(|ranks| *ranks == finding.ranks)
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.ranks {
            Some(ranks) => write!(f, "{} ranks {ranks:?}", self.check),
            None => f.write_str(&self.check),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Site;

    const SOURCE: &str = "// A ring.\n// What is wrong: a lot.\n// ranks: 3\n// expect: real-deadlock ranks 0,1\n\n\
                          int x;\n    MPI_Recv(); //~ real-deadlock\nj=j/i;\n//~^ real-deadlock\n";

    fn finding(line: usize, source: &str) -> Finding {
        let site = |line, source: &str| Site {
            rank: 0,
            function: "MPI_Recv".into(),
            file: "bug.c".into(),
            line,
            source: source.into(),
        };
        Finding {
            check: "real-deadlock".into(),
            code: "MV601".into(),
            severity: "error".into(),
            message: String::new(),
            ranks: vec![0, 1],
            sites: vec![site(line, source), site(8, "j=j/i;")],
            run: None,
            came_true: None,
            jobs: Vec::new(),
        }
    }

    #[test]
    fn comments_are_read_and_held_against_the_report() {
        let program = Program::parse(Path::new("bug.c"), SOURCE).unwrap();
        assert_eq!((program.ranks, program.marks.len()), (3, 2));
        let complain = |findings| {
            program.complaints(&Report {
                findings,
                exploration: serde_json::Value::Null,
                jobs: serde_json::Value::Null,
            })
        };
        assert!(complain(vec![finding(7, "MPI_Recv(); //~ real-deadlock")]).is_empty());
        assert_eq!(complain(vec![]).len(), 1, "missing");
        assert_eq!(complain(vec![finding(6, "int x;")]).len(), 1, "marked line");
        assert_eq!(complain(vec![finding(7, "MPI_Send();")]).len(), 1, "text of the line");
        let other_ranks = Finding { ranks: vec![0], ..finding(7, "MPI_Recv(); //~ real-deadlock") };
        assert_eq!(complain(vec![other_ranks]).len(), 2, "missing and unexpected");
    }

    #[test]
    fn options_of_the_run_alone_are_kept_from_the_analysis() {
        let source = "// ranks: 2\n// options: --check a --checksums all --precise --severity b=note\n";
        let program = Program::parse(Path::new("bug.c"), source).unwrap();
        assert_eq!(program.options.len(), 7);
        assert_eq!(program.analyze_options(), ["--check", "a", "--severity", "b=note"]);
    }

    #[test]
    fn programs_are_for_some_mpis() {
        let runs = |comment: &str| {
            let program = Program::parse(Path::new("bug.c"), &format!("// ranks: 4\n{comment}\n")).unwrap();
            let mpi = |name, families| Mpi {
                name,
                families,
                mpicc: PathBuf::new(),
                mpicxx: PathBuf::new(),
                compiler_args: &[],
                compiler_env: Vec::new(),
                mpiexec: PathBuf::new(),
                lib: PathBuf::new(),
            };
            let all = [mpi("mpich", &["mpich"]), mpi("intel", &["mpich", "intel"]), mpi("openmpi", &["openmpi"])];
            all.iter().map(|mpi| program.runs_under(mpi)).collect::<Vec<_>>()
        };
        assert_eq!(runs(""), [true, true, true]);
        assert_eq!(runs("// mpi: mpich (a reason, not openmpi)"), [true, true, false]);
        assert_eq!(runs("// mpi: !intel (a reason)"), [true, false, true]);
        assert_eq!(runs("// mpi: mpich !intel"), [true, false, false]);
    }

    #[test]
    fn wrong_comments_are_refused() {
        for wrong in [
            "// ranks: 4\n// arg: 4\n",
            "// ranks: 4\n// expect: abend of rank 3\n",
            "x; //~ abend\n",
            "// ranks: many\n",
        ] {
            assert!(Program::parse(Path::new("bug.c"), wrong).is_err(), "{wrong}");
        }
    }
}
