//! The report of all jobs that one command has started (`mpivet run --each`): the findings of all, each once, with the
//! jobs that showed it.

use super::exploration::name_witness;
use crate::command_line::command_line;
use crate::fingerprint::FindingKey;
use crate::order::order_of_several;
use crate::plural::plural;
use crate::rank_ends::ends;
use crate::report::Report;
use crate::view::{Defect, FindingView, JobView, Mpi, STOPPED};
use engine::worlds::Names;
use rustc_hash::FxHashMap;
use trace_format::ranks::Ranks;
use trace_format::run::jobs::Started;

/// A job and its report.
pub struct JobReport {
    /// Name of its directory.
    pub dir: String,
    pub started: Started,
    pub report: Report,
}

impl Report {
    /// The report of all jobs of `command`, in the order of their start. `dir`: the directory that has theirs.
    pub fn of_jobs(dir: String, command: &[String], jobs: Vec<JobReport>) -> Report {
        let (mut whole, mut known) = (Report::empty(dir, command), SharedFindings::default());
        for (at, job) in jobs.into_iter().enumerate() {
            whole.add_job(at + 1, job, &mut known);
        }
        // The words of the command and of its jobs come from files, too, and notes repeat them.
        whole.clean();
        whole.findings.sort_by_key(order_of_several);
        let seen: Vec<Option<String>> = whole.findings.iter().map(|f| seen_in(f, &whole)).collect();
        for (finding, seen) in whole.findings.iter_mut().zip(seen) {
            seen.into_iter().for_each(|seen| finding.notes.insert(0, seen));
        }
        crate::fingerprint::assign(&mut whole.findings);
        whole
    }

    /// The names of the processes of a finding.
    pub(super) fn names_of(&self, finding: &FindingView) -> &Names {
        let job = finding.jobs.first().and_then(|job| self.jobs.get(job.wrapping_sub(1)));
        job.map_or(&self.names, |job| &job.names)
    }

    /// Jobs that mpivet stopped.
    pub fn stopped_jobs(&self) -> usize {
        self.jobs.iter().filter(|job| job.task.stopped).count()
    }

    fn add_job(&mut self, number: usize, job: JobReport, known: &mut SharedFindings) {
        let JobReport { dir, started, report } = job;
        let Report {
            mpi,
            task,
            findings,
            queues,
            samples,
            hints,
            max_findings,
            names,
            checks,
            directory,
            phases,
            has_more,
            cut,
            ..
        } = report;
        let count = |severity: &str| findings.iter().filter(|f| f.severity == severity).count();
        let hidden = [task.errors - count("error"), task.warnings - count("warning"), task.notes - count("note")];
        self.count(hidden);
        if let Some(most) = max_findings {
            self.tell_hidden(number, hidden.iter().sum(), most);
        }
        for mut finding in findings {
            match known.place(&finding, number, self.findings.len()) {
                Some(place) => self.findings[place].jobs.push(number),
                None => {
                    let of = |severity: &str| usize::from(finding.severity == severity);
                    self.count([of("error"), of("warning"), of("note")]);
                    name_witness(&mut finding, &dir);
                    finding.jobs = vec![number];
                    self.findings.push(finding);
                }
            }
        }
        for defect in &task.defects {
            let what = format!("job {number}: {}", defect.words(&names));
            self.task.defects.push(Defect {
                world: 0,
                rank: None,
                process: None,
                offset: None,
                what,
                is_wanted: defect.is_wanted,
            });
        }
        hints.into_iter().for_each(|hint| {
            if !self.hints.contains(&hint) {
                self.hints.push(hint)
            }
        });
        (self.checks, self.directory) = (checks, directory);
        for (name, seconds) in phases {
            match self.phases.iter_mut().find(|phase| phase.0 == name) {
                Some(phase) => phase.1 += seconds,
                None => self.phases.push((name, seconds)),
            }
        }
        self.task.ranks = self.task.ranks.max(task.ranks);
        self.task.stopped |= task.stopped;
        self.has_more |= has_more;
        self.cut = self.cut.or(cut);
        self.task.interrupted = self.task.interrupted.take().or_else(|| task.interrupted.clone());
        if self.jobs.is_empty() {
            self.mpi = Mpi { family: mpi.family.clone(), library: mpi.library.clone(), standard: mpi.standard.clone() };
        }
        let Started { command, test, .. } = started;
        self.jobs.push(JobView { job: number, dir, command, test, mpi, task, queues, samples, names });
    }

    /// Adds the line on findings of a job beyond the limit.
    pub(super) fn tell_hidden(&mut self, job: usize, n: usize, most: u64) {
        if n > 0 {
            let (findings, are) = (plural(n, "more finding"), if n == 1 { "is" } else { "are" });
            self.hints.push(format!("job {job}: {findings} {are} not shown; --max-findings {most}"));
        }
    }

    fn count(&mut self, [errors, warnings, notes]: [usize; 3]) {
        self.task.errors += errors;
        self.task.warnings += warnings;
        self.task.notes += notes;
    }
}

/// Findings that several jobs share. Two findings of one job are never the same, even at the same line: the second
/// one of a job is the second one of another.
#[derive(Default)]
struct SharedFindings {
    same: FxHashMap<(FindingKey, &'static str), Counted>,
}

/// Findings that only their number in a job tells apart.
#[derive(Default)]
struct Counted {
    /// Places in the report.
    places: Vec<usize>,
    /// The job that is looked at, and how many it has so far.
    job: usize,
    of_job: usize,
}

impl SharedFindings {
    /// The place of a job's finding in the report; `None`: it is new, and gets the place `next`.
    fn place(&mut self, finding: &FindingView, job: usize, next: usize) -> Option<usize> {
        let same = self.same.entry((finding.key(), finding.severity)).or_default();
        if same.job != job {
            (same.job, same.of_job) = (job, 0);
        }
        let known = same.places.get(same.of_job).copied();
        same.of_job += 1;
        if known.is_none() {
            same.places.push(next);
        }
        known
    }
}

/// The lines of the text report about the jobs, the first one its title.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let task = &report.task;
    let words: Vec<&str> =
        [task.program.as_str()].into_iter().chain(task.arguments.iter().map(String::as_str)).collect();
    let mut lines = vec![format!("mpivet: {}, {}", command_line(&words), plural(report.jobs.len(), "job"))];
    for job in &report.jobs {
        lines.push(format!("  {}: {}", job.name(), verdict(job, report)));
        let is_telling = |job: &JobView| job.task.stopped || job.task.ended.iter().any(|e| e.end != "normal");
        if is_telling(job) {
            let ends = ends(&job.task.ended).into_iter();
            lines.extend(ends.map(|(what, ranks)| format!("    {}: {what}", job.names.list(&ranks))));
        }
        lines.extend(job.samples.iter().filter_map(|s| s.note.as_deref()).map(|note| format!("    {note}")));
    }
    let calls = report.jobs.iter().flat_map(|job| &job.task.ended).map(|e| e.calls).sum::<u64>();
    let looked_at = plural(calls as usize, "MPI call");
    lines.push(match task.errors + task.warnings + task.notes {
        0 if report.set_aside() == 0 => format!("  {}", report.verdict_without_findings(&looked_at)),
        _ => {
            let (errors, warnings) = (plural(task.errors, "error"), plural(task.warnings, "warning"));
            format!("  {errors}, {warnings}, {} in {looked_at}", plural(task.notes, "note"))
        }
    });
    lines.extend(report.gate_lines().into_iter().map(|line| format!("  {line}")));
    lines.push(format!("  trace: {}", task.trace_dir));
    lines
}

fn verdict(job: &JobView, report: &Report) -> String {
    let of_job =
        |severity: &str| report.findings.iter().filter(|f| f.jobs.contains(&job.job) && f.severity == severity).count();
    let mut found: Vec<String> = ["error", "warning", "note"]
        .into_iter()
        .map(|severity| (of_job(severity), severity))
        .filter(|(n, _)| *n > 0)
        .map(|(n, severity)| plural(n, severity))
        .collect();
    if job.task.stopped {
        found.push(STOPPED.into());
    }
    if found.is_empty() { "no errors found".into() } else { found.join(", ") }
}

/// The jobs that had a finding: `job 3 (mpirun -n 2 ./a)`.
fn seen_in(finding: &FindingView, report: &Report) -> Option<String> {
    match finding.jobs[..] {
        [] => None,
        [only] => report.jobs.get(only.wrapping_sub(1)).map(|job| format!("in {}", job.name())),
        _ => {
            let numbers: Vec<i32> = finding.jobs.iter().filter_map(|n| i32::try_from(*n).ok()).collect();
            Some(format!("in jobs {}", numbers.into_iter().collect::<Ranks>()))
        }
    }
}
