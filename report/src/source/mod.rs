//! Source files as reports need them: their lines, and which characters of them are code. A [`mask`] of a file has a
//! blank in the place of each character of a comment and a quote in the place of each one of a literal, so that calls
//! and their arguments are found without a parser of the language.

mod mask;
mod moved;

pub(crate) use moved::Moved;

use std::path::Path;

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// C and C++, and whatever looks like them.
    C,
    Fortran,
    /// Fortran in columns.
    FixedFortran,
    Python,
}

impl Language {
    /// By the ending of the file's name.
    pub(crate) fn of(file: &str) -> Language {
        let ending = Path::new(file).extension().and_then(|e| e.to_str()).unwrap_or("");
        match ending.to_ascii_lowercase().as_str() {
            "f90" | "f95" | "f03" | "f08" | "f18" => Language::Fortran,
            "f" | "for" | "ftn" | "f77" | "fpp" => Language::FixedFortran,
            "py" => Language::Python,
            _ => Language::C,
        }
    }

    pub(crate) fn is_fortran(self) -> bool {
        matches!(self, Language::Fortran | Language::FixedFortran)
    }
}

/// A source file.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) language: Language,
    pub(crate) lines: Vec<String>,
    /// The lines again, without what is no code; as long as these in bytes.
    pub(crate) masks: Vec<String>,
    /// By line: its statement continues in the next one. Only Fortran says so.
    pub(crate) continued: Vec<bool>,
}

impl Code {
    pub(crate) fn new(language: Language, text: &str) -> Code {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let masked = mask::mask(language, &lines);
        Code { language, lines, masks: masked.lines, continued: masked.continued }
    }

    /// The line with this number, from 1.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        self.lines.get((number as usize).checked_sub(1)?).map(String::as_str)
    }
}
