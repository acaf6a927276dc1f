//! The words and signs of a Rust file, without comments, texts and what only tests are.

/// As much of a token as paths need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Colons,
    Sign(char),
}

impl Token {
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(w) if w == word)
    }
}

/// All tokens of a file but those of its tests.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => quoted(rest),
            '\'' => character(rest),
            c if c.is_alphanumeric() || c == '_' => {
                let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                match raw(rest, word) {
                    Some(len) => len,
                    None => {
                        all.push(Token::Word(rest[..word].to_owned()));
                        word
                    }
                }
            }
            ':' if rest.starts_with("::") => {
                all.push(Token::Colons);
                2
            }
            c => {
                if !c.is_whitespace() {
                    all.push(Token::Sign(c));
                }
                c.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    without_tests(all)
}

/// Length of a text in quotes.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

/// Length of a raw text that begins with the word of this length.
fn raw(rest: &str, word: usize) -> Option<usize> {
    if !["r", "br", "cr"].contains(&&rest[..word]) {
        return None;
    }
    let hashes = rest[word..].bytes().take_while(|b| *b == b'#').count();
    let body = rest[word + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(body.find(&end).map_or(rest.len(), |at| word + hashes + 1 + at + end.len()))
}

/// Length of a character, or of the sign of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, c))) => {
            let from = escaped + c.len_utf8();
            rest[from..].find('\'').map_or(rest.len(), |end| from + end + 1)
        }
        (_, Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// Leaves out modules behind `#[cfg(test)]`, and the like.
fn without_tests(all: Vec<Token>) -> Vec<Token> {
    let mut kept = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        if let Some(end) = attribute_of_test(&all[at..]) {
            let behind = &all[at + end..];
            let opening = behind.iter().position(|t| matches!(t, Token::Sign('{' | ';'))).unwrap_or(behind.len());
            if behind.get(opening) == Some(&Token::Sign('{')) {
                at += end + opening + in_braces(&behind[opening..]);
            } else {
                at += end + opening + 1;
            }
            continue;
        }
        kept.push(all[at].clone());
        at += 1;
    }
    kept
}

/// `#[cfg(test)]` or `#[cfg(all(test, ...))]`: how many tokens.
fn attribute_of_test(tokens: &[Token]) -> Option<usize> {
    let [Token::Sign('#'), Token::Sign('['), cfg, ..] = tokens else { return None };
    let end = tokens.iter().position(|t| *t == Token::Sign(']'))?;
    let has = |word: &str| tokens[..end].iter().any(|t| t.is_word(word));
    (cfg.is_word("cfg") && has("test") && !has("not")).then_some(end + 1)
}

/// How many tokens from one brace to that which closes it.
fn in_braces(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
