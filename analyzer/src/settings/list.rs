//! **Every setting, one entry each**: from it come what `mpivet.toml` and the environment may say, `mpivet config`, the
//! sample file and `docs/configuration.md`.

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Number,
    /// A word that the option of the same name knows.
    Word,
    /// A path, in the file relative to its directory.
    Path,
    /// Words in a list; in the environment with commas between.
    Words,
    /// Paths in a list; in the environment with colons between.
    Paths,
    /// Such paths, perhaps with `FORMAT:` in front of one.
    Reports,
    /// A table of `NAME = "VALUE"`; in the environment `NAME=VALUE` with this letter between.
    Pairs(char),
}

impl Kind {
    /// Do the values of all places hold together, the later ones behind? Otherwise only the last one holds.
    pub(crate) fn is_list(self) -> bool {
        matches!(self, Kind::Words | Kind::Paths | Kind::Reports | Kind::Pairs(_))
    }

    /// Its type in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Bool => "true or false",
            Kind::Number => "a number",
            Kind::Word | Kind::Path => "a string",
            Kind::Words | Kind::Paths | Kind::Reports => "a list of strings",
            Kind::Pairs(_) => "a table of strings",
        }
    }
}

/// Something that a project, a person or one command may want otherwise.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its key in `mpivet.toml`.
    pub(crate) key: &'static str,
    pub(crate) variable: &'static str,
    /// The long option that says the same.
    pub(crate) option: &'static str,
    /// The option that turns off words of the list, which have `-` in front there.
    pub(crate) off: Option<&'static str>,
    pub(crate) kind: Kind,
    /// The default, in words.
    pub(crate) default: &'static str,
    /// A value, as it stands in the file.
    pub(crate) example: &'static str,
    /// The description; empty: the help of the option.
    pub(crate) doc: &'static str,
    /// `libmpivet.so` reads the variable, also without `mpivet run`.
    pub(crate) in_process: bool,
    /// It holds for each command that has the option, not just for those that run or analyze.
    pub(crate) everywhere: bool,
    /// The option means something only with this one.
    pub(crate) only_with: Option<&'static str>,
}

/// A setting whose key is its option, for the commands that run or analyze.
const fn setting(
    key: &'static str,
    variable: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
) -> Setting {
    Setting {
        key,
        variable,
        option: key,
        off: None,
        kind,
        default,
        example,
        doc: "",
        in_process: false,
        everywhere: false,
        only_with: None,
    }
}

/// A setting that the running program obeys.
const fn in_process(setting: Setting) -> Setting {
    Setting { in_process: true, ..setting }
}

const fn everywhere(setting: Setting) -> Setting {
    Setting { everywhere: true, ..setting }
}

const fn off(key: &'static str, variable: &'static str) -> Setting {
    setting(key, variable, Kind::Bool, "false", "true")
}

/// See the module. In the order of the sample file.
pub(crate) static SETTINGS: &[Setting] = &[
    Setting {
        doc: "Trace directory. One that holds a trace already is refused, so that this is of use for jobs that clean up",
        ..in_process(setting("dir", "MPIVET_DIR", Kind::Path, "mpivet-PROGRAM-PID", "\"mpivet-trace\""))
    },
    setting("keep", "MPIVET_KEEP", Kind::Word, "findings", "\"always\""),
    Setting {
        option: "check",
        off: Some("no-check"),
        doc: "Checks to turn on, and with `-` in front to turn off: names, codes, groups as MV4, globs. The last word \
              about a check counts",
        ..everywhere(in_process(setting(
            "checks",
            "MPIVET_CHECKS",
            Kind::Words,
            "see `mpivet checks`",
            "[\"-leak-*\", \"incorrect-send-size\"]",
        )))
    },
    everywhere(in_process(setting(
        "severity",
        "MPIVET_SEVERITY",
        Kind::Pairs(','),
        "that of each check",
        "{ wrong-data-type = \"warning\", MV5 = \"note\" }",
    ))),
    everywhere(in_process(setting("max-findings", "MPIVET_MAX_FINDINGS", Kind::Number, "50", "50"))),
    setting("fail-on", "MPIVET_FAIL_ON", Kind::Word, "error", "\"warning\""),
    setting("incomplete", "MPIVET_INCOMPLETE", Kind::Word, "fail", "\"ok\""),
    setting("format", "MPIVET_FORMAT", Kind::Word, "text", "\"text\""),
    Setting {
        option: "report",
        doc: "Files that the report is written to, in the format of their extension (.json, .sarif, .xml for junit, ...), or \
              `FORMAT:FILE`; the terminal keeps the text",
        ..setting("reports", "MPIVET_REPORTS", Kind::Reports, "none", "[\"mpivet-report.json\"]")
    },
    setting("suppressions", "MPIVET_SUPPRESSIONS", Kind::Paths, "none", "[\"mpivet-suppressions.toml\"]"),
    off("no-shipped-suppressions", "MPIVET_NO_SHIPPED_SUPPRESSIONS"),
    setting("baseline", "MPIVET_BASELINE", Kind::Path, "none", "\"mpivet-baseline.json\""),
    Setting {
        option: "source-path",
        ..everywhere(setting("source-paths", "MPIVET_SOURCE_PATHS", Kind::Paths, "none", "[\".\"]"))
    },
    setting("color", "MPIVET_COLOR", Kind::Word, "auto", "\"never\""),
    off("full", "MPIVET_FULL"),
    in_process(setting("stack-depth", "MPIVET_STACK_DEPTH", Kind::Number, "8", "12")),
    in_process(setting("time-error", "MPIVET_TIME_ERROR", Kind::Word, "0", "\"1us\"")),
    in_process(setting("max-trace-size", "MPIVET_MAX_TRACE_SIZE", Kind::Number, "keep all", "64")),
    in_process(setting("stage-dir", "MPIVET_STAGE_DIR", Kind::Path, "the trace directory", "\"/dev/shm\"")),
    setting("port", "MPIVET_PORT", Kind::Word, "any", "\"40000-40100\""),
    setting("agent-bandwidth", "MPIVET_AGENT_BANDWIDTH", Kind::Number, "8", "100"),
    off("no-agents", "MPIVET_NO_AGENTS"),
    in_process(setting("checksums", "MPIVET_CHECKSUMS", Kind::Word, "sends", "\"all\"")),
    in_process(setting("sample-over", "MPIVET_SAMPLE_OVER", Kind::Number, "look at all data", "1048576")),
    off("heap", "MPIVET_HEAP"),
    in_process(off("sync-sends", "MPIVET_SYNC_SENDS")),
    in_process(off("stress", "MPIVET_STRESS")),
    Setting {
        option: "cvar",
        ..in_process(setting("cvars", "MPIVET_CVARS", Kind::Pairs(';'), "none", "{ MPIR_CVAR_ENABLE_GPU = \"0\" }"))
    },
    in_process(setting("pvars", "MPIVET_PVARS", Kind::Word, "none", "\"@100ms\"")),
    in_process(setting("precise", "MPIVET_PRECISE", Kind::Word, "off", "\"stores\"")),
    in_process(off("probe-limits", "MPIVET_PROBE_LIMITS")),
    Setting { only_with: Some("explore"), ..setting("explore-runs", "MPIVET_EXPLORE_RUNS", Kind::Number, "20", "50") },
    Setting {
        only_with: Some("explore"),
        ..setting("explore-time", "MPIVET_EXPLORE_TIME", Kind::Number, "600", "1800")
    },
    off("no-stop", "MPIVET_NO_STOP"),
    off("quiet", "MPIVET_QUIET"),
    off("verbose", "MPIVET_VERBOSE"),
];

/// Is it the variable of a setting? `mpivet run` decides on the values of such variables in a job.
pub(crate) fn is_variable(name: &str) -> bool {
    SETTINGS.iter().any(|s| s.variable == name)
}
