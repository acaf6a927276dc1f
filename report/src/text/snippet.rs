//! Source lines with their numbers, and carets under what is wrong in them.

use crate::clean;
use crate::style::{Colour, Style};
use crate::subject::Highlight;
use crate::view::Site;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use console::strip_ansi_codes;

/// Columns in front of the numbers of lines.
const INDENT: &str = "   ";
/// Lines of a call that are shown whole.
const MAX_LINES: usize = 12;
/// Wide enough for all lines that people have written.
const UNLIMITED: usize = 100_000;

/// The statement of a call, with the line before it and marks below what is wrong; empty if the source is not there.
pub(super) fn snippet(site: &Site, highlights: &[Highlight], level: Level<'static>, style: Style) -> Vec<String> {
    let Some(statement) = &site.statement else { return Vec::new() };
    let before = statement.before.as_deref().filter(|b| !b.trim().is_empty());
    let source: String =
        before.into_iter().chain(statement.lines.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
    let shift = before.map_or(0, |b| b.len() + 1);
    let first = statement.first_line as usize - usize::from(before.is_some());
    let source = tame(&source);
    let annotations = highlights.iter().map(|highlight| {
        let span = highlight.span.start + shift..highlight.span.end + shift;
        let label = highlight.label.as_deref().map(|l| clean::line(l).into_owned());
        AnnotationKind::Primary.span(span).label(label)
    });
    let long = !style.full && !highlights.is_empty() && statement.lines.len() > MAX_LINES;
    let snippet = Snippet::source(source).line_start(first).fold(long).annotations(annotations);
    let renderer = match style.colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    };
    let width = style.width.map_or(UNLIMITED, |w| w.saturating_sub(INDENT.len()));
    let text = renderer.term_width(width).render(&[Group::with_level(level).element(snippet)]);
    // A bar with nothing behind it is no use.
    let lines = text.lines().filter(|line| !matches!(strip_ansi_codes(line).trim(), "|" | ""));
    lines.map(|line| format!("{INDENT}{}", line.trim_end())).collect()
}

/// The source without what commands a terminal, and as long in bytes as it was: the renderer does the rest.
fn tame(source: &str) -> String {
    let tamed = |c: char| if clean::shown(c) != c && !c.is_ascii() { "?".repeat(c.len_utf8()) } else { c.to_string() };
    if source.is_ascii() { source.to_owned() } else { source.chars().map(tamed).collect() }
}
