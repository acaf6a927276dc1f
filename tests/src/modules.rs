//! Which modules of a crate know which others, for the rule that they do so in one direction.
//!
//! A module is a file or folder directly below the root of the crate, with all that is in it. It knows another one that it
//! names in a path (`crate::other::Thing`, also inside `use crate::{this, other::Thing}`, and `super::other`), be it by
//! what the root of the crate hands on (`pub use other::Thing`). Tests may know anything.

mod tokens;

use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tokens::{Token, tokens};

/// The root of the crate itself, which has things that its modules name.
const ROOT: &str = "the root";

/// The modules of a crate.
#[derive(Debug, Default)]
pub struct Modules {
    /// By module: each that it knows, with the first place where it names it.
    arrows: BTreeMap<String, BTreeMap<String, String>>,
    /// Where each type is defined that has a name of its own.
    types: BTreeMap<String, BTreeSet<String>>,
    /// Modules with `impl` blocks of a type, by name of the type.
    methods: BTreeMap<String, BTreeSet<String>>,
}

impl Modules {
    /// The modules of the crate with this root file: `engine/src/lib.rs`.
    pub fn of(root: &Path) -> Result<Modules> {
        let text = std::fs::read_to_string(root).with_context(|| root.display().to_string())?;
        Modules::of_files(&text, &files_of(root, &text)?)
    }

    /// The modules of a crate by the texts of its root file and of its modules: their paths in the crate, such as `["a", "b"]`.
    fn of_files(root: &str, files: &[(Vec<String>, String)]) -> Result<Modules> {
        let root = tokens(root);
        let names: BTreeSet<String> = declared(&root).into_iter().map(|(name, _)| name).collect();
        let handed_on = handed_on(&root, &names);
        let mut all = Modules::default();
        names.iter().for_each(|name| _ = all.arrows.entry(name.clone()).or_default());
        for (path, text) in files {
            let (Some(module), tokens) = (path.first(), tokens(text)) else { continue };
            all.note_types(module, &tokens);
            for named in named(&tokens, path) {
                let Some(first) = named.first() else { continue };
                let other = match handed_on.get(first) {
                    _ if names.contains(first) => first,
                    Some(module) => module,
                    None => ROOT,
                };
                all.arrow(module, other, &format!("{}: {}", path.join("/"), named.join("::")));
            }
        }
        for named in paths(&root).into_iter().filter(|path| !path.is_handed_on).map(|path| path.segments) {
            let named = named.strip_prefix(&["crate".to_owned()][..]).unwrap_or(&named);
            if let Some(module) = named.first().filter(|first| names.contains(*first)) {
                all.arrow(ROOT, module, &named.join("::"));
            }
        }
        Ok(all)
    }

    fn arrow(&mut self, from: &str, to: &str, place: &str) {
        if from != to {
            self.arrows.entry(to.to_owned()).or_default();
            self.arrows.entry(from.to_owned()).or_default().entry(to.to_owned()).or_insert_with(|| place.to_owned());
        }
    }

    fn note_types(&mut self, module: &str, tokens: &[Token]) {
        for (i, token) in tokens.iter().enumerate() {
            match (token, tokens.get(i + 1)) {
                (Token::Word(word), Some(Token::Word(name))) if ["struct", "enum", "union"].contains(&&**word) => {
                    self.types.entry(name.clone()).or_default().insert(module.to_owned());
                }
                (Token::Word(word), Some(_)) if word == "impl" && begins_item(tokens, i) => {
                    if let Some(name) = of_methods(&tokens[i + 1..]) {
                        self.methods.entry(name).or_default().insert(module.to_owned());
                    }
                }
                _ => {}
            }
        }
    }

    /// Modules that know each other in a circle: those of each one, sorted.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let reach: BTreeMap<&str, BTreeSet<&str>> = self.arrows.keys().map(|m| (&**m, self.reached_by(m))).collect();
        let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
        for (module, reached) in &reach {
            let both = reached.iter().filter(|other| reach.get(**other).is_some_and(|back| back.contains(module)));
            let circle: Vec<String> = both.map(|other| (*other).to_owned()).collect();
            if !circle.is_empty() {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    /// Arrows between these modules, with a place where each is drawn.
    pub fn arrows_among(&self, modules: &[String]) -> Vec<String> {
        let of = |from: &String| {
            let to = self.arrows.get(from).into_iter().flatten().filter(|(to, _)| modules.contains(to));
            to.map(|(to, place)| format!("{from} -> {to} ({place})")).collect::<Vec<_>>()
        };
        modules.iter().flat_map(of).collect()
    }

    fn reached_by<'a>(&'a self, module: &str) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let next = |module: &str| self.arrows.get(module).into_iter().flat_map(|to| to.keys().map(String::as_str));
        let mut open: Vec<&str> = next(module).collect();
        while let Some(module) = open.pop() {
            if seen.insert(module) {
                open.extend(next(module));
            }
        }
        seen
    }

    /// Types that have methods in a module which is not theirs: whoever has such a type knows that module without a word.
    pub fn methods_away_from_home(&self) -> Vec<String> {
        let away = self.methods.iter().flat_map(|(name, at)| {
            let home = self.types.get(name);
            let away = at.iter().filter(move |module| home.is_some_and(|home| !home.contains(*module)));
            away.map(move |module| format!("{name} in {module}"))
        });
        away.collect()
    }
}

/// The files of the modules that a root file or a file of a module declares: their paths in the crate, and texts.
fn files_of(root: &Path, text: &str) -> Result<Vec<(Vec<String>, String)>> {
    let dir = root.parent().context("a root file has a folder")?;
    let mut files = Vec::new();
    let mut open: Vec<Vec<String>> = declared(&tokens(text)).into_iter().map(|(name, _)| vec![name]).collect();
    while let Some(path) = open.pop() {
        let at = path.iter().fold(dir.to_owned(), |at, name| at.join(name));
        let text = std::fs::read_to_string(at.with_extension("rs"))
            .or_else(|_| std::fs::read_to_string(at.join("mod.rs")))
            .with_context(|| format!("{} has no file", at.display()))?;
        let inner = declared(&tokens(&text)).into_iter().map(|(name, _)| [&path[..], &[name]].concat());
        open.extend(inner);
        files.push((path, text));
    }
    files.sort();
    Ok(files)
}

/// `mod name;`, with where it stands.
fn declared(tokens: &[Token]) -> Vec<(String, usize)> {
    let is_one = |(i, three): (usize, &[Token])| match three {
        [Token::Word(word), Token::Word(name), Token::Sign(';')] if word == "mod" => Some((name.clone(), i)),
        _ => None,
    };
    tokens.windows(3).enumerate().filter_map(is_one).collect()
}

/// Things that the root hands on, with the modules that they are of.
fn handed_on(root: &[Token], names: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for path in paths(root).into_iter().filter(|path| path.is_used) {
        let path =
            path.segments.strip_prefix(&["crate".to_owned()][..]).map(<[String]>::to_vec).unwrap_or(path.segments);
        if let (Some(module), Some(thing)) = (path.first().filter(|first| names.contains(*first)), path.get(1)) {
            all.insert(path.last().unwrap_or(thing).clone(), module.clone());
        }
    }
    all
}

/// The paths that a file at `at` names in its crate, from the root.
fn named(tokens: &[Token], at: &[String]) -> Vec<Vec<String>> {
    let from_root = |path: Written| {
        let segments = path.segments;
        match segments.first()?.as_str() {
            "crate" => Some(segments[1..].to_vec()),
            "super" => {
                let up = segments.iter().take_while(|segment| *segment == "super").count();
                let base = &at[..at.len().saturating_sub(up)];
                Some([base, &segments[up..]].concat())
            }
            _ => None,
        }
    };
    paths(tokens).into_iter().filter_map(from_root).collect()
}

/// A path that a file writes.
struct Written {
    segments: Vec<String>,
    /// In a `use`, and in a public one.
    is_used: bool,
    is_handed_on: bool,
}

/// All paths of several segments, those in braces one by one.
fn paths(tokens: &[Token]) -> Vec<Written> {
    let mut all = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let before = |n: usize| i.checked_sub(n).and_then(|at| tokens.get(at));
        let begins = matches!(&tokens[i], Token::Word(_)) && before(1) != Some(&Token::Colons);
        // `pub(in crate::a)` says who may know it.
        let is_of_others = before(1).is_some_and(|t| t.is_word("in")) && before(2) == Some(&Token::Sign('('));
        let begins = begins && !is_of_others;
        if !begins || tokens.get(i + 1) != Some(&Token::Colons) {
            i += 1;
            continue;
        }
        let is_used = i > 0 && tokens[i - 1].is_word("use");
        let is_handed_on = is_used && before(2).is_some_and(|t| t.is_word("pub") || *t == Token::Sign(')'));
        let mut found = Vec::new();
        i = tree(tokens, i, &mut Vec::new(), &mut found);
        all.extend(found.into_iter().map(|segments| Written { segments, is_used, is_handed_on }));
    }
    all
}

/// Reads a path, or a tree of them, from `at`: the place behind it.
fn tree(tokens: &[Token], mut at: usize, before: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let known = before.len();
    loop {
        match tokens.get(at) {
            Some(Token::Word(word)) => {
                before.push(word.clone());
                at += 1;
                if tokens.get(at) == Some(&Token::Colons) {
                    at += 1;
                    continue;
                }
                if tokens.get(at).is_some_and(|t| t.is_word("as")) {
                    at += 2;
                }
                found.push(before.clone());
            }
            Some(Token::Sign('{')) if known < before.len() => {
                at += 1;
                while !matches!(tokens.get(at), None | Some(Token::Sign('}'))) {
                    at = match tokens.get(at) {
                        Some(Token::Sign(',')) => at + 1,
                        _ => tree(tokens, at, before, found),
                    };
                }
                at += 1;
            }
            // `*`, or the type behind `::<`.
            _ => {
                found.push(before.clone());
                at += 1;
            }
        }
        before.truncate(known);
        return at;
    }
}

/// Does an item begin with this word? `impl` also stands in types.
fn begins_item(tokens: &[Token], at: usize) -> bool {
    at == 0 || matches!(tokens[at - 1], Token::Sign('}' | ';' | ']')) || tokens[at - 1].is_word("unsafe")
}

/// The type that an `impl` block gives methods to, if it is no `impl Trait for Type`; `tokens`: what is behind `impl`.
fn of_methods(tokens: &[Token]) -> Option<String> {
    let end = tokens.iter().position(|t| *t == Token::Sign('{'))?;
    let (mut depth, mut name) = (0, None);
    for token in &tokens[..end] {
        match token {
            Token::Sign('<') => depth += 1,
            Token::Sign('>') => depth -= 1,
            Token::Word(word) if depth == 0 && word == "for" => return None,
            Token::Word(word) if depth == 0 && word == "where" => break,
            Token::Word(word) if depth == 0 => name = Some(word.clone()),
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(root: &str, files: &[(&str, &str)]) -> Modules {
        let path = |name: &str| name.split('/').map(str::to_owned).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (path(name), (*text).to_owned())).collect();
        Modules::of_files(root, &files).unwrap()
    }

    fn circles(root: &str, files: &[(&str, &str)]) -> Vec<String> {
        modules(root, files).circles().into_iter().map(|circle| circle.join(" ")).collect()
    }

    const ABC: &str = "mod a;\npub(crate) mod b;\nmod c;\n";

    #[test]
    fn a_path_of_any_form_is_an_arrow() {
        let back = "use crate::a::Thing;";
        for there in [
            "use crate::b::Thing;",
            "use crate::{c, b::{self, x::Thing}};",
            "use super::{c::{Y, Z}, b};",
            "fn f() { if crate::b::is::<u8>() {} }",
            "struct A(Vec<crate::b::Thing>);",
        ] {
            assert_eq!(circles(ABC, &[("a", there), ("b", back), ("c", "")]), ["a b"], "{there}");
        }
        assert_eq!(circles(ABC, &[("a", "use crate::b;"), ("b", "use crate::c;"), ("c", back)]), ["a b c"]);
        assert_eq!(circles(ABC, &[("a", "use crate::b;"), ("b", "use crate::c;"), ("c", "")]), [""; 0]);
    }

    #[test]
    fn what_is_inside_of_a_module_is_no_arrow() {
        let files =
            [("a", "mod x;"), ("a/x", "use super::y::Z; use super::super::b;"), ("b", "pub(in crate::a) fn f() {}")];
        let all = modules("mod a; mod b;", &files);
        assert_eq!(all.arrows_among(&["a".into(), "b".into()]), ["a -> b (a/x: b)"]);
    }

    #[test]
    fn comments_texts_and_tests_draw_no_arrows() {
        let other = "// crate::a::X\n/* crate::a */ const A: &str = \"crate::a\"; const B: &str = r#\"\"crate::a\"#;
            fn f<'a>(c: char) -> bool { c == '\"' || c == '\\'' }
            #[cfg(test)]\nmod tests { use crate::a; fn f() { {} } }";
        assert_eq!(circles(ABC, &[("a", "use crate::b;"), ("b", other), ("c", "")]), [""; 0]);
    }

    #[test]
    fn what_the_root_hands_on_is_of_its_module() {
        let root = "mod a; mod b; pub use b::{Thing, other as Name}; struct Own(a::A); fn f() { b::f() }";
        assert_eq!(circles(root, &[("a", "use crate::Thing;"), ("b", "use crate::a;")]), ["a b"]);
        assert_eq!(circles(root, &[("a", "use crate::Thing;"), ("b", "")]), [""; 0]);
        // It is a circle with the root where this knows the module itself.
        assert_eq!(circles(root, &[("a", "use crate::Own;"), ("b", "")]), ["a the root"]);
    }

    #[test]
    fn methods_are_at_home() {
        let files = [
            ("a", "pub struct A<T>(T); impl<T: Into<B>> A<T> { fn f(self) -> impl Iterator { } }"),
            ("b", "use crate::a::A; impl A<u8> {} impl Trait for A<u8> {} impl<'a> Other<'a> for &'a A<u8> {}"),
        ];
        assert_eq!(modules("mod a; mod b;", &files).methods_away_from_home(), ["A in b"]);
    }
}
