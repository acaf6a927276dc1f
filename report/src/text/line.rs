//! Lines of a text report. All text goes through [`clean::line`]: what a trace says never commands the terminal.

use crate::clean;
use crate::style::{Colour, Style};
use console::measure_text_width;
use trace_format::settings::columns::wrapped;

#[derive(Clone, Copy)]
pub(super) enum Ink {
    Red,
    Yellow,
    Cyan,
    Blue,
    Bold,
}

/// A line in the making.
pub(super) struct Line {
    text: String,
    style: Style,
}

impl Line {
    pub(super) fn new(style: Style) -> Line {
        Line { text: String::new(), style }
    }

    pub(super) fn text(mut self, text: &str) -> Line {
        self.text.push_str(&clean::line(text));
        self
    }

    pub(super) fn ink(mut self, ink: Ink, text: &str) -> Line {
        let code = match ink {
            Ink::Red => "1;31",
            Ink::Yellow => "1;33",
            Ink::Cyan => "1;36",
            Ink::Blue => "34",
            Ink::Bold => "1",
        };
        let text = clean::line(text);
        match self.style.colour {
            Colour::Plain => self.text.push_str(&text),
            Colour::Ansi => self.text.push_str(&format!("\x1b[{code}m{text}\x1b[0m")),
        }
        self
    }

    /// The line with its end, in several lines if the terminal is narrow.
    pub(super) fn finish(self) -> String {
        let text = self.text.trim_end();
        match self.style.width {
            Some(width) if measure_text_width(text) > width => {
                wrapped(text, width, measure_text_width).join("\n") + "\n"
            }
            _ => format!("{text}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_replaced() {
        let style = Style::from(Colour::Ansi);
        let line = Line::new(style).ink(Ink::Bold, "\x1b[31mx").text("\x1b").finish();
        assert_eq!(line, "\x1b[1m\u{241b}[31mx\x1b[0m\u{241b}\n");
    }

    #[test]
    fn lines_fit_narrow_terminals() {
        let style = Style { width: Some(20), ..Style::from(Colour::Plain) };
        let line = |text: &str| Line::new(style).text(text).finish();
        assert_eq!(line("  one two three four five"), "  one two three four\n      five\n");
        assert_eq!(line("  12345678901234567890123"), "  12345678901234567890123\n");
        assert_eq!(line("  a 12345678901234567890123 b"), "  a\n      12345678901234567890123\n      b\n");
        assert_eq!(line("just twenty columns."), "just twenty columns.\n");
        // Wide characters have two columns, colours none.
        let ink = |text: &str| Line::new(Style { colour: Colour::Ansi, ..style }).ink(Ink::Red, text).finish();
        assert_eq!(ink("世界世界世界 世界w").lines().count(), 1);
        assert_eq!(ink("世界世界世界世界 世界").lines().count(), 2);
    }
}
