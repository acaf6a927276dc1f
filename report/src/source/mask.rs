//! Blanks out all that is no code: comments, the contents of literals, signs that a line goes on.

use super::Language;

/// Stands for each byte of a literal: it is neither blank nor a delimiter.
const LITERAL: u8 = b'"';

/// The masks of a file's lines.
pub(super) struct Masked {
    pub(super) lines: Vec<String>,
    pub(super) continued: Vec<bool>,
}

pub(super) fn mask(language: Language, lines: &[String]) -> Masked {
    let whole = |mask: fn(&mut [u8])| {
        let mut text = lines.join("\n").into_bytes();
        mask(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        Masked { lines: text.split('\n').map(str::to_owned).collect(), continued: vec![false; lines.len()] }
    };
    match language {
        Language::C => whole(c),
        Language::Python => whole(python),
        Language::Fortran => fortran(lines, false),
        Language::FixedFortran => fortran(lines, true),
    }
}

/// Overwrites a part of the text; line ends stay.
fn fill(text: &mut [u8], with: u8) {
    text.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = with);
}

/// The end of the first `what` at or behind `from`; the end of the text if there is none.
fn end_of(text: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or(&[]);
    rest.windows(what.len()).position(|w| w == what).map_or(text.len(), |at| from + at + what.len())
}

/// The end of a literal in quotes that begins at `from` and ends in its line, or in a line that a backslash adds to it.
fn end_of_quoted(text: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            b if b == text[from] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn c(text: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let (byte, next) = (text[at], text.get(at + 1).copied().unwrap_or(0));
        let (end, with) = match (byte, next) {
            (b'/', b'/') => (end_of_line_comment(text, at), b' '),
            (b'/', b'*') => (end_of(text, at + 2, b"*/"), b' '),
            (b'"' | b'\'', _) => (end_of_quoted(text, at), LITERAL),
            // A line goes on.
            (b'\\', _) => (at + 1, b' '),
            _ if is_word(byte) => {
                at = end_of_word(text, at);
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        fill(&mut text[at..end], with);
        at = end;
    }
}

fn end_of_line_comment(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() && (text[at] != b'\n' || text[at - 1] == b'\\') {
        at += 1;
    }
    at
}

/// The end of a name, a number (in which apostrophes may be) or a raw string; what is in a raw string is overwritten.
fn end_of_word(text: &mut [u8], from: usize) -> usize {
    let number = text[from].is_ascii_digit();
    let mut at = from;
    while at < text.len() && (is_word(text[at]) || number && matches!(text[at], b'\'' | b'.')) {
        at += 1;
    }
    let raw = matches!(&text[from..at], b"R" | b"LR" | b"uR" | b"UR" | b"u8R") && text.get(at) == Some(&b'"');
    let open = text[at..].iter().take(18).position(|b| *b == b'(');
    match open {
        Some(open) if raw => {
            let closing = [b")", &text[at + 1..at + open], b"\""].concat();
            let end = end_of(text, at + open, &closing);
            fill(&mut text[at..end], LITERAL);
            end
        }
        _ => at,
    }
}

fn python(text: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let (end, with) = match text[at] {
            b'#' => (text[at..].iter().position(|b| *b == b'\n').map_or(text.len(), |n| at + n), b' '),
            quote @ (b'"' | b'\'') => {
                let three = [quote; 3];
                let long = text[at..].starts_with(&three);
                (if long { end_of(text, at + 3, &three) } else { end_of_quoted(text, at) }, LITERAL)
            }
            b'\\' => (at + 1, b' '),
            _ => {
                at += 1;
                continue;
            }
        };
        fill(&mut text[at..end], with);
        at = end;
    }
}

fn fortran(lines: &[String], fixed: bool) -> Masked {
    let mut masked = Masked { lines: Vec::new(), continued: vec![false; lines.len()] };
    // The literal that the last line broke off in, and the last line that has code.
    let (mut open, mut last): (Option<u8>, Option<usize>) = (None, None);
    for (i, line) in lines.iter().enumerate() {
        let mut text = line.clone().into_bytes();
        let first = text.first().copied().unwrap_or(b' ');
        let is_comment = first == b'#' || fixed && matches!(first, b'c' | b'C' | b'*');
        if is_comment || line.trim_start().starts_with('!') || line.trim().is_empty() {
            fill(&mut text, b' ');
        } else {
            if fixed {
                let goes_on = text.len() > 5
                    && text[..5].iter().all(|b| *b == b' ')
                    && !matches!(text[5], b' ' | b'0')
                    && !text[..6].contains(&b'\t');
                if goes_on {
                    text[5] = b' ';
                    let from = last.unwrap_or(i);
                    masked.continued[from..i].fill(true);
                } else {
                    open = None;
                }
            } else if let Some(from) = last.filter(|from| masked.continued[*from]) {
                masked.continued[from..i].fill(true);
                if let Some(sign) = text.iter_mut().find(|b| !matches!(b, b' ' | b'\t')).filter(|b| **b == b'&') {
                    *sign = b' ';
                }
            }
            masked.continued[i] = fortran_line(&mut text, &mut open, fixed);
            last = Some(i);
        }
        masked.lines.push(String::from_utf8_lossy(&text).into_owned());
    }
    masked
}

/// Masks a line of Fortran that begins in the literal `open`; true if it ends in `&`.
fn fortran_line(text: &mut [u8], open: &mut Option<u8>, fixed: bool) -> bool {
    let length = text.len();
    for at in 0..length {
        match (*open, text[at]) {
            (Some(quote), byte) => {
                let ends = byte == quote;
                let goes_on = byte == b'&' && !fixed && text[at + 1..].iter().all(|b| matches!(b, b' ' | b'\t'));
                if goes_on {
                    text[at] = b' ';
                    return true;
                }
                text[at] = LITERAL;
                if ends {
                    *open = None;
                }
            }
            (None, quote @ (b'"' | b'\'')) => {
                *open = Some(quote);
                text[at] = LITERAL;
            }
            (None, b'!') => {
                fill(&mut text[at..], b' ');
                break;
            }
            _ => {}
        }
    }
    if fixed {
        return false;
    }
    *open = None;
    let last = text.iter().rposition(|b| !matches!(b, b' ' | b'\t'));
    let goes_on = last.is_some_and(|l| text[l] == b'&');
    if let (true, Some(last)) = (goes_on, last) {
        text[last] = b' ';
    }
    goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(language: Language, text: &str) -> String {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        mask(language, &lines).lines.join("\n")
    }

    #[test]
    fn comments_and_literals_of_c() {
        for (text, expected) in [
            ("f(a, /* b, */ c); // d", "f(a,          c);     "),
            ("f(\"a, b\", 'c', 1'000)", "f(\"\"\"\"\"\", \"\"\", 1'000)"),
            ("f(\"\\\"(\", x)", "f(\"\"\"\"\", x)"),
            ("#error don't\nf(x)", "#error don\"\"\nf(x)"),
            ("/* a\nb */ f(x)", "    \n     f(x)"),
            ("g(R\"x(a)\")x\", y)", "g(R\"\"\"\"\"\"\"\"\", y)"),
            ("// a \\\nb\nf", "      \n \nf"),
            ("f(ä, \"ö\")", "f(ä, \"\"\"\")"),
        ] {
            assert_eq!(masked(Language::C, text), expected, "{text}");
            assert_eq!(masked(Language::C, text).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn comments_literals_and_continued_lines_of_fortran() {
        for (text, expected) in [
            ("call f('a, ''b', x) ! c", "call f(\"\"\"\"\"\"\"\", x)    "),
            ("call f(a, & ! one\n\n  ! two\n  & b)", "call f(a,        \n\n       \n    b)"),
            ("call f('a, &\n  &b', c)", "call f(\"\"\"\" \n\"\"\"\"\", c)"),
        ] {
            assert_eq!(masked(Language::Fortran, text), expected, "{text}");
        }
        let text = "c     call g(\n      call f(a,\n     &       b)\n      x = 1";
        let expected = "             \n      call f(a,\n             b)\n      x = 1";
        assert_eq!(masked(Language::FixedFortran, text), expected);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(mask(Language::FixedFortran, &lines).continued, [false, true, false, false]);
        let lines: Vec<String> = ["call f(a, &", "! c", "b)", "d"].map(str::to_owned).into();
        assert_eq!(mask(Language::Fortran, &lines).continued, [true, true, false, false]);
    }

    #[test]
    fn comments_and_literals_of_python() {
        let text = "f('a, b', \"\"\"c\n)\"\"\", d) # e";
        assert_eq!(masked(Language::Python, text), "f(\"\"\"\"\"\", \"\"\"\"\n\"\"\"\", d)    ");
    }
}
