//! Documents whose commands are run: files, commands and what these print, as a reader would go through them.
//!
//! A block that begins with ```` ```c ring.c ```` is a file, written when the reader gets there. In a block of
//! ```` ```console ```` a line with `$ ` is a command of bash, and the lines below it are what it prints on both outputs;
//! a line `...` stands for any lines.

use anyhow::{Context as _, Result};
use std::fmt::Write as _;

/// A part of a document.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Lines that are only read.
    Text(String),
    /// A file: the line with its name, its name, its contents.
    File { head: String, name: String, text: String },
    /// Commands with what they print.
    Console(Vec<(String, String)>),
}

const FENCE: &str = "```";

/// The parts of a document.
pub fn parse(document: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut lines = document.lines();
    let mut text = String::new();
    while let Some(line) = lines.next() {
        let info = line.strip_prefix(FENCE).filter(|info| !info.is_empty());
        let (name, is_console) = (info.and_then(|i| i.split_once(' ')), info == Some("console"));
        if name.is_none() && !is_console {
            _ = writeln!(text, "{line}");
            continue;
        }
        parts.push(Part::Text(std::mem::take(&mut text)));
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != FENCE).collect();
        if let Some((_, name)) = name {
            let text = body.iter().map(|l| format!("{l}\n")).collect();
            parts.push(Part::File { head: line.to_owned(), name: name.to_owned(), text });
            continue;
        }
        let mut commands: Vec<(String, String)> = Vec::new();
        for line in body {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), String::new())),
                None => _ = writeln!(commands.last_mut().context("output without a command")?.1, "{line}"),
            }
        }
        parts.push(Part::Console(commands));
    }
    parts.push(Part::Text(text));
    Ok(parts)
}

/// The document that the parts make up.
pub fn write(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(lines) => text += lines,
            Part::File { head, text: body, .. } => _ = writeln!(text, "{head}\n{body}{FENCE}"),
            Part::Console(commands) => {
                _ = writeln!(text, "{FENCE}console");
                commands.iter().for_each(|(command, output)| _ = write!(text, "$ {command}\n{output}"));
                _ = writeln!(text, "{FENCE}");
            }
        }
    }
    text
}

/// Is that what the document says that a command prints?
pub fn fits(said: &str, printed: &str) -> bool {
    let mut rest = printed;
    let mut pieces = said.split("...\n");
    let first = pieces.next().unwrap_or_default();
    let Some(behind) = rest.strip_prefix(first) else { return false };
    rest = behind;
    let pieces: Vec<&str> = pieces.collect();
    for (i, piece) in pieces.iter().enumerate() {
        if i + 1 == pieces.len() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str =
        "# A\n\n```c a.c\nint x;\n```\nSo:\n```console\n$ one\n1\n...\n$ two\n```\n\n```text\n$ no\n```\n";

    #[test]
    fn documents_have_files_and_commands() {
        let parts = parse(DOCUMENT).unwrap();
        assert_eq!(write(&parts), DOCUMENT);
        let commands = vec![("one".to_owned(), "1\n...\n".to_owned()), ("two".to_owned(), String::new())];
        assert_eq!(parts[3], Part::Console(commands));
        assert!(matches!(&parts[1], Part::File { name, text, .. } if name == "a.c" && text == "int x;\n"));
        assert!(parse("```console\nx\n```\n").is_err());
    }

    #[test]
    fn lines_may_be_left_out() {
        assert!(fits("a\nb\n", "a\nb\n") && !fits("a\n", "a\nb\n") && !fits("a\nb\n", "a\n"));
        assert!(fits("a\n...\n", "a\nb\nc\n") && fits("a\n...\nd\n", "a\nb\nc\nd\n") && fits("...\nd\n", "c\nd\n"));
        assert!(!fits("a\n...\nd\n", "a\nb\n") && !fits("b\n...\n", "a\nb\n"));
        assert!(fits("a\n...\nc\n...\ne\n", "a\nb\nc\nd\ne\n") && !fits("a\n...\nx\n...\ne\n", "a\nb\nc\nd\ne\n"));
    }
}
