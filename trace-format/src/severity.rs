//! Severities: errors come first.

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is wrong: it violates the standard, or fails.
    Error,
    /// The program is likely to be wrong, or to fail in another run or on another library.
    Warning,
    /// The program is legal, and the fact is worth knowing.
    Note,
}

impl Severity {
    /// The word of reports and settings.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    /// The severity called `name`.
    pub fn by_name(name: &str) -> Option<Severity> {
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().find(|s| s.name() == name)
    }
}
