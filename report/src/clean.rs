//! A trace may come from somebody else, and names in it may hold anything. Characters that would move the cursor of a
//! terminal, turn the direction of writing or end an XML document are replaced by characters that show them.

use crate::view::{FindingView, Frame, JobView, PathView, QueueView, Site, Waits};
use std::borrow::Cow;

/// Text in which lines may end.
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_good = |c: char| matches!(c, '\n' | '\t') || shown(c) == c;
    if text.chars().all(is_good) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.chars().map(|c| if is_good(c) { c } else { shown(c) }).collect())
}

/// Text of one line.
pub fn line(text: &str) -> Cow<'_, str> {
    let is_good = |c: char| c == '\t' || shown(c) == c;
    if text.chars().all(is_good) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_good(c) { c } else { shown(c) }).collect())
}

/// The character, or what stands for it.
pub(crate) fn shown(c: char) -> char {
    match c {
        // Pictures of control characters.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // Ends of lines and paragraphs, and directions of writing.
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        // No characters, and not allowed in XML.
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c => c,
    }
}

/// Removal of control characters from the parts of a report.
pub(crate) trait Clean {
    fn clean(&mut self);
}

impl Clean for String {
    fn clean(&mut self) {
        if let Cow::Owned(clean) = line(self) {
            *self = clean;
        }
    }
}

impl<T: Clean> Clean for Option<T> {
    fn clean(&mut self) {
        self.iter_mut().for_each(T::clean);
    }
}

impl<T: Clean> Clean for Vec<T> {
    fn clean(&mut self) {
        self.iter_mut().for_each(T::clean);
    }
}

/// Text in which lines may end.
pub(crate) fn clean_lines(text: &mut String) {
    if let Cow::Owned(clean) = lines(text) {
        *text = clean;
    }
}

/// The other fields come from the report of the job, which is clean already.
impl Clean for JobView {
    fn clean(&mut self) {
        self.dir.clean();
        self.command.clean();
        self.test.clean();
    }
}

impl Clean for FindingView {
    fn clean(&mut self) {
        // Some libraries explain an error in several lines.
        clean_lines(&mut self.message);
        self.notes.iter_mut().for_each(clean_lines);
        self.sites.clean();
        self.paths.clean();
        self.waits.clean();
        self.under.clean();
    }
}

impl Clean for QueueView {
    fn clean(&mut self) {
        self.communicator.clean();
        self.site.clean();
    }
}

impl Clean for PathView {
    fn clean(&mut self) {
        self.message.iter_mut().for_each(clean_lines);
        self.sites.clean();
    }
}

impl Clean for Waits {
    fn clean(&mut self) {
        self.function.clean();
        self.file.clean();
        self.short.clean();
    }
}

impl Clean for Site {
    fn clean(&mut self) {
        self.function.clean();
        self.library.clean();
        self.call.clean();
        self.role.clean();
        self.file.clean();
        self.short.clean();
        self.source.clean();
        self.before.clean();
        self.stack.clean();
    }
}

impl Clean for Frame {
    fn clean(&mut self) {
        self.function.clean();
        self.file.clean();
        self.module.clean();
        self.short.clean();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(line("a\x1b[31mb\tc\nd\u{9b}e\u{202e}\x7f"), "a\u{241b}[31mb\tc\u{240a}d\u{fffd}e\u{fffd}\u{2421}");
        assert_eq!(lines("a\r\nb\n\tc\r\u{ffff}"), "a\nb\n\tc\u{240d}\u{fffd}");
        assert!(matches!(lines("Gr\u{fc}\u{df}e\n"), Cow::Borrowed(_)));
    }
}
