//! Where reports go: the terminal, and the files of `--report`, each with a format of its own.

use crate::atomic_file::Target;
use crate::exit::Exit;
use clap::ValueEnum as _;
use report::{Format, Report, Style};
use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use trace_format::settings::suggestions::did_you_mean;

/// The file of GitHub that holds the page of a step.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// All that is written of a report.
pub(crate) struct Outputs {
    terminal: Format,
    files: Vec<Output>,
}

struct Output {
    format: Format,
    path: PathBuf,
    /// Looked at before the work begins, so that a bad path fails early.
    target: Target,
    written: Cell<bool>,
}

impl Outputs {
    /// `format` is that of the terminal. A single file that does not name its own has it instead.
    pub(crate) fn new(format: Option<Format>, reports: &[String]) -> Result<Outputs, Exit> {
        let (targets, terminal) = targets(format, reports).map_err(Exit::Usage)?;
        let files = targets.into_iter().map(|(format, path)| Output::new(format, path)).collect::<Result<_, _>>()?;
        Ok(Outputs { terminal, files })
    }

    /// The formats that are written.
    pub(crate) fn formats(&self) -> impl Iterator<Item = Format> {
        std::iter::once(self.terminal).chain(self.files.iter().map(|f| f.format))
    }

    /// The report for the terminal.
    pub(crate) fn terminal(&self, report: &Report, style: Style) -> String {
        report.render(self.terminal, style)
    }

    /// Writes all files, also if one of them cannot be written. The terminal has its report by then.
    pub(crate) fn write(&self, report: &Report, style: Style) -> Result<(), Exit> {
        let render = |format: Format| report.render(format, style);
        let summary = self.has(Format::Github).then(|| std::env::var_os(STEP_SUMMARY)).flatten();
        let summary =
            summary.filter(|path| !path.is_empty()).map_or(Ok(()), |path| append(Path::new(&path), report, style));
        self.each(render).and(summary)
    }

    /// Says in the files that there is no report, and why.
    pub(crate) fn fail(&self, why: &anyhow::Error) {
        // The caller has worse to tell than that this did not work either.
        _ = self.each(|format| format.failure(&format!("{why:#}")));
    }

    fn has(&self, format: Format) -> bool {
        self.terminal == format || self.files.iter().any(|f| f.format == format)
    }

    fn each(&self, render: impl Fn(Format) -> String) -> Result<(), Exit> {
        let mut failed = Vec::new();
        for output in self.files.iter().filter(|f| !f.written.get()) {
            output.written.set(true);
            if let Err(e) = output.target.write(render(output.format).as_bytes()) {
                failed.push(format!("cannot write the report to {}: {e}", output.path.display()));
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(Exit::cannot(anyhow::anyhow!(failed.join("\nmpivet: ")))) }
    }
}

impl Output {
    fn new(format: Format, path: PathBuf) -> Result<Output, Exit> {
        match Target::new(&path) {
            Ok(target) => Ok(Output { format, path, target, written: Cell::new(false) }),
            Err(e) => Err(Exit::Usage(format!("cannot write the report to {}: {e}", path.display()))),
        }
    }
}

/// The page of a step has a table of each report that was made in it.
fn append(path: &Path, report: &Report, style: Style) -> Result<(), Exit> {
    let page = report.render(Format::Markdown, style);
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(page.as_bytes()))
        .map_err(|e| Exit::cannot(anyhow::anyhow!("cannot write to {STEP_SUMMARY} ({}): {e}", path.display())))
}

/// Formats and files, and the format of the terminal.
fn targets(format: Option<Format>, reports: &[String]) -> Result<(Vec<(Format, PathBuf)>, Format), String> {
    let mut targets: Vec<(Format, PathBuf)> = Vec::new();
    let mut terminal = format;
    for report in reports {
        let (format, path) = match (named(report)?, format) {
            (Some((format, path)), _) => (format, path),
            (None, Some(format)) if reports.len() == 1 => {
                terminal = None;
                (format, report.as_str())
            }
            (None, _) => (by_extension(report)?, report.as_str()),
        };
        if targets.iter().any(|(_, known)| known == Path::new(path)) {
            return Err(format!("two reports to {path}: each needs a file of its own"));
        }
        targets.push((format, path.into()));
    }
    Ok((targets, terminal.unwrap_or(Format::Text)))
}

/// `FORMAT:FILE`. What is before the colon may also be the beginning of a file name, but hardly ever is a single word.
fn named(report: &str) -> Result<Option<(Format, &str)>, String> {
    let Some((word, path)) = report.split_once(':') else { return Ok(None) };
    if let Ok(format) = Format::from_str(word, true) {
        return if path.is_empty() { Err(format!("{report} names no file")) } else { Ok(Some((format, path))) };
    }
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    let near = did_you_mean(word, names().iter().map(String::as_str)).map(|near| format!("; {near}"));
    let near = near.unwrap_or_default();
    Err(format!("there is no format `{word}`{near} (formats: {}; a file of that name: ./{report})", names().join(", ")))
}

fn by_extension(report: &str) -> Result<Format, String> {
    if report.to_ascii_lowercase().ends_with(".sarif.json") {
        return Ok(Format::Sarif);
    }
    let extension = Path::new(report).extension().and_then(|e| e.to_str()).unwrap_or_default();
    Format::of_extension(extension).ok_or_else(|| {
        let what = if extension.is_empty() { "has no extension" } else { "has an extension that is no format's" };
        let formats = Format::value_variants().iter().map(|f| format!(".{} {}", f.extension(), f.name()));
        let formats = formats.collect::<Vec<_>>().join(", ");
        format!("{report} {what} ({formats}); write FORMAT:FILE, for example json:{report}")
    })
}

fn names() -> Vec<String> {
    Format::value_variants().iter().map(|f| f.name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: Option<Format>, reports: &[&str]) -> Result<(Vec<(Format, String)>, Format), String> {
        let reports: Vec<String> = reports.iter().map(|r| (*r).to_owned()).collect();
        let (files, terminal) = targets(format, &reports)?;
        Ok((files.into_iter().map(|(f, p)| (f, p.display().to_string())).collect(), terminal))
    }

    #[test]
    fn files_say_their_format_and_the_terminal_keeps_the_text() {
        let expected = vec![
            (Format::Sarif, "a.sarif".to_owned()),
            (Format::Sarif, "a.sarif.json".to_owned()),
            (Format::Junit, "b.xml".to_owned()),
            (Format::Json, "c:d.txt".to_owned()),
            (Format::Text, "e.TXT".to_owned()),
        ];
        let files = ["a.sarif", "a.sarif.json", "b.xml", "json:c:d.txt", "e.TXT"];
        assert_eq!(of(None, &files), Ok((expected.clone(), Format::Text)));
        assert_eq!(of(Some(Format::Github), &files), Ok((expected, Format::Github)));
    }

    #[test]
    fn one_file_has_the_format_that_was_asked_for() {
        let json = |path: &str| vec![(Format::Json, path.to_owned())];
        assert_eq!(of(Some(Format::Json), &["a"]), Ok((json("a"), Format::Text)));
        assert_eq!(of(Some(Format::Json), &["a.txt"]), Ok((json("a.txt"), Format::Text)));
        assert_eq!(of(Some(Format::Github), &["json:a"]), Ok((json("a"), Format::Github)));
        assert_eq!(of(None, &["a.json"]), Ok((json("a.json"), Format::Text)));
        assert_eq!(of(Some(Format::Dot), &[]), Ok((vec![], Format::Dot)));
    }

    #[test]
    fn what_is_no_format_is_told_with_those_that_are() {
        for (wrong, said) in [
            (&["a"][..], "a has no extension (.txt text, .json json,"),
            (&["a.jsn"], "a.jsn has an extension that is no format's (.txt text, .json json,"),
            (&["sarf:a.json"], "there is no format `sarf`; did you mean sarif? (formats: text, json,"),
            (&["json:"], "json: names no file"),
            (&["a.json", "text:a.json"], "two reports to a.json"),
        ] {
            let why = of(None, wrong).unwrap_err();
            assert!(why.contains(said), "{why}");
        }
        assert!(of(None, &["./sarf:a.json", "/x:y/a.json"]).is_ok());
    }
}
