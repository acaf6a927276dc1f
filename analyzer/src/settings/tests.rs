use super::*;
use std::path::Path;

const HOME: &str = "/project/mpivet.toml";

fn parsed(text: &str) -> Result<Vec<(String, String, usize)>, String> {
    match file::parse(Path::new(HOME), text) {
        Ok(given) => Ok(given
            .into_iter()
            .map(|g| match g.source {
                Source::File { line, .. } => (g.setting.key.into(), g.value.to_string_lossy().into_owned(), line),
                other => panic!("{other:?}"),
            })
            .collect()),
        Err(Exit::Usage(what)) => Err(what),
        Err(other) => panic!("{other:?}"),
    }
}

fn wrong(text: &str) -> String {
    parsed(text).unwrap_err()
}

#[test]
fn the_file_is_read_with_its_lines() {
    let text = "stack-depth = 0x10\n\nchecks = [\n  '-leak-*',\n  'MV4',\n]\nquiet = true\ndir = 'a/b'\nreports = ['x.json', \
                'sarif:y']\n[severity]\nz-b = 'note'\na-c = 'off'\n";
    let all = parsed(text).unwrap();
    let all: Vec<_> = all.iter().map(|(key, value, line)| (key.as_str(), value.as_str(), *line)).collect();
    let expected = [
        ("stack-depth", "16", 1),
        ("checks", "-leak-*", 4),
        ("checks", "MV4", 5),
        ("quiet", "true", 7),
        ("dir", "/project/a/b", 8),
        ("reports", "/project/x.json", 9),
        ("reports", "sarif:/project/y", 9),
        // The order of the file is kept, since a later entry has precedence.
        ("severity", "z-b=note", 11),
        ("severity", "a-c=off", 12),
    ];
    assert_eq!(all, expected);
}

#[test]
fn what_is_wrong_in_the_file_is_told_with_its_line() {
    let start = |what: &str| format!("{HOME}:2: {what}");
    let keys = [
        ("stak-depth = 3", "there is no setting `stak-depth`; did you mean stack-depth?"),
        ("no-check = 'MV4'", "there is no setting `no-check`; did you mean checks?"),
        ("report = 'x'", "there is no setting `report`; did you mean reports?"),
        ("xyzzy = 1", "there is no setting `xyzzy`; `mpivet config` shows them all"),
    ];
    for (line, what) in keys {
        assert_eq!(wrong(&format!("quiet = true\n{line}\n")), start(what));
    }
    let types = [
        ("stack-depth = '3'", "`stack-depth` is a number, not a string; for example stack-depth = 12"),
        ("quiet2 = 1", "there is no setting `quiet2`; did you mean quiet?"),
        ("quiet = 1", "`quiet` is true or false, not a number; for example quiet = true"),
        ("fail-on = true", "`fail-on` is a string, not true or false; for example fail-on = \"warning\""),
        ("checks = 'MV4'", "`checks` is a list of strings, not a string; for example"),
        ("checks = ['MV4', 4]", "`checks` is a list of strings, not a list with something else in it; for example"),
        ("severity = ['MV4']", "`severity` is a table of strings, not a list; for example"),
        ("severity.MV4 = ['note']", "`severity` is a table of strings, not a list in it; for example"),
        ("stack-depth = 1.5", "`stack-depth` is a number, not a number with a fraction"),
    ];
    for (line, what) in types {
        let said = wrong(&format!("# first\n{line}\n"));
        assert!(said.starts_with(&start(what)), "{said}");
    }
    assert!(wrong("\nquiet = \n").starts_with(&format!("{HOME}:2: ")));
}

#[test]
fn the_environment_says_the_same() {
    let all = [
        ("MPIVET_CHECKS", "-leak-*, MV4,"),
        ("MPIVET_SEVERITY", "MV4=note"),
        ("MPIVET_CVARS", "A=1,2;B=3"),
        ("MPIVET_REPORTS", "a.txt:html:b:c.json"),
        ("MPIVET_STRESS", "on"),
        ("MPIVET_QUIET", "0"),
        ("MPIVET_DIR", "d"),
        ("MPIVET_FAIL_ON", ""),
    ];
    let read = |more: &'static [(&str, &str)]| {
        let get = |name: &str| all.iter().chain(more).rev().find(|(n, _)| *n == name).map(|(_, v)| v.into());
        environment::read(get).map(|given| {
            let pair = |g: &SettingValue| format!("{}={}", g.setting.key, g.value.to_string_lossy());
            given.iter().map(pair).collect::<Vec<_>>()
        })
    };
    let expected = [
        "dir=d",
        "checks=-leak-*",
        "checks=MV4",
        "severity=MV4=note",
        "reports=a.txt",
        "reports=html:b",
        "reports=c.json",
        "stress=true",
        "cvars=A=1,2",
        "cvars=B=3",
        "quiet=false",
    ];
    assert_eq!(read(&[]).unwrap(), expected);
    // A job's own directory is not that of a job below it.
    assert_eq!(read(&[("MPIVET_RUN", "1")]).unwrap(), expected[1..]);
    let error = read(&[("MPIVET_STRESS", "perhaps")]).unwrap_err();
    assert!(matches!(error, Exit::Usage(what) if what == "MPIVET_STRESS: `perhaps` is neither 1 nor 0"));
}

#[test]
fn each_setting_has_its_option() {
    let run = crate::cli::run_command();
    for setting in SETTINGS {
        let arg = option(&run, setting.option).unwrap_or_else(|| panic!("--{} is no option of run", setting.option));
        assert!(setting.off.is_none_or(|name| option(&run, name).is_some()), "{}", setting.key);
        assert!(setting.only_with.is_none_or(|name| option(&run, name).is_some()), "{}", setting.key);
        assert!(!sample::doc(setting, &run).is_empty(), "{}", setting.key);
        assert_eq!(
            setting.kind == Kind::Bool,
            matches!(arg.get_action(), ArgAction::Set)
                && arg.get_num_args().is_some_and(|n| n.min_values() == 0)
                && !["pvars", "precise"].contains(&setting.key),
            "{}",
            setting.key
        );
        let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
        assert!(defaults.is_empty() || defaults == [setting.default], "{}: {defaults:?}", setting.key);
        assert!(setting.variable.starts_with("MPIVET_"), "{}", setting.key);
        let same = SETTINGS.iter().filter(|s| s.key == setting.key || s.variable == setting.variable).count();
        assert_eq!(same, 1, "{}", setting.key);
        // The example is valid.
        let given = file::parse(Path::new(HOME), &format!("{} = {}\n", setting.key, setting.example));
        let given = given.unwrap_or_else(|e| panic!("{}: {e:?}", setting.key));
        assert!(!given.is_empty());
        // Directories must be there.
        let checkable = given.iter().filter(|g| g.setting.key != "source-paths");
        checkable.for_each(|g| check(&run, g).unwrap_or_else(|e| panic!("{}: {e:?}", setting.key)));
    }
}

/// `examples/mpivet.toml` and `docs/configuration.md` are what the list says; `scripts/docs` writes them anew.
#[test]
fn sample_and_page_are_fresh() {
    let run = crate::cli::run_command();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = [("examples/mpivet.toml", sample(&run)), ("docs/configuration.md", sample::page(&run))];
    for (name, expected) in pages {
        let path = root.join(name);
        if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
            std::fs::write(&path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == expected, "{name} is not what the list of settings says; run scripts/docs");
    }
}

#[test]
fn the_sample_has_each_key() {
    let text = sample(&crate::cli::run_command());
    let open: String = text
        .lines()
        .filter_map(|l| l.strip_prefix('#'))
        .filter(|l| !l.starts_with(' '))
        .map(|l| format!("{l}\n"))
        .collect();
    let keys: Vec<String> = parsed(&open).unwrap().into_iter().map(|g| g.0).collect();
    for setting in SETTINGS {
        assert!(keys.iter().any(|key| key == setting.key), "{}", setting.key);
    }
    assert_eq!(parsed(&text).unwrap(), [], "all is commented out");
}
