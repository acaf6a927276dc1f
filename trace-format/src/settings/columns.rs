//! Text that fits the columns of a terminal.

/// The environment variable by which `mpivet run` tells processes how wide the terminal is that they print to.
pub const COLUMNS: &str = "MPIVET_COLUMNS";

/// Text is not fitted to terminals narrower than this.
pub const LEAST_COLUMNS: usize = 30;

/// Breaks a line at blanks into lines of at most `width` columns, as `measure` counts them; what follows is indented a bit
/// more than the line. Words that are too long stay whole: they are paths and names that people copy.
pub fn wrapped(text: &str, width: usize, measure: impl Fn(&str) -> usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let below = " ".repeat((indent + 4).min(width / 2));
    let mut lines = Vec::new();
    let (mut line, mut used) = (" ".repeat(indent), indent);
    for (i, word) in text.trim_start().split(' ').enumerate() {
        let length = measure(word);
        if i > 0 && used + 1 + length > width {
            line.truncate(line.trim_end().len());
            lines.push(std::mem::replace(&mut line, below.clone()));
            used = below.len();
        } else if i > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines.push(line);
    lines
}

/// The text behind `who`, which tells who says it, on each line. `columns`: how many there are; `None`: nobody knows.
pub fn lines(who: &str, text: &str, columns: Option<usize>) -> String {
    let end = |line: &str| format!("{who}{line}\n");
    match columns.filter(|n| *n >= LEAST_COLUMNS) {
        Some(width) => {
            let room = width.saturating_sub(who.len()).max(LEAST_COLUMNS);
            wrapped(text, room, |word| word.chars().count()).iter().map(|line| end(line)).collect()
        }
        None => end(text),
    }
}
