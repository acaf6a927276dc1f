//! Commands as people would type them.

/// Letters of a command that are shown.
const MAX_COMMAND: usize = 150;

/// Words as one would type them, the middle left out where they are many.
pub fn command_line<W: AsRef<str>>(words: &[W]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
    let whole: Vec<char> = quoted.join(" ").replace('\n', " ").chars().collect();
    match whole.len().checked_sub(MAX_COMMAND) {
        None | Some(0) => whole.into_iter().collect(),
        Some(_) => {
            let (start, end) = (MAX_COMMAND / 2, whole.len() - MAX_COMMAND / 2);
            whole[..start].iter().chain(&['.', '.', '.']).chain(&whole[end..]).collect()
        }
    }
}

/// A word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_in_a_line() {
        assert_eq!(command_line(&["sh", "-c", "a b\nc", ""]), "sh -c 'a b c' ''");
        assert_eq!(command_line(&["echo", "it's"]), "echo 'it'\\''s'");
        let long = command_line(&["mpirun", &"x".repeat(500), "-q"]);
        assert!(long.starts_with("mpirun xxx") && long.ends_with("xxx -q") && long.contains("x...x"), "{long}");
        assert_eq!(long.len(), MAX_COMMAND + 3);
    }
}
