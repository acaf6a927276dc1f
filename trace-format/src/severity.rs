//! Severities: errors come first.

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
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
