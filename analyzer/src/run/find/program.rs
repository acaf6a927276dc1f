//! The program that a command comes to start, behind launchers, commands of batch systems, wrappers (`env`, `numactl`) and
//! shells. A wrong guess makes the name of a directory less telling, and what is said when nothing was recorded.

use super::{executable, is_linked_with_mpi};
use crate::run::launcher::Launcher;
use crate::run::launcher_options::{name as option_name, programs};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// No command has as many programs in front of the one that is meant.
const MOST: usize = 16;

/// The program that the command is about: a file, or the word where no file of that name can be seen from here.
pub(in crate::run) fn program(command: &[OsString]) -> PathBuf {
    let mut words = command.to_vec();
    for _ in 0..MOST {
        match behind(&words) {
            Some(rest) if !rest.is_empty() => words = rest,
            _ => break,
        }
    }
    let found = words.first().or(command.first()).map(file).unwrap_or_default();
    // A script in front of the program (`./bind.sh ./app`), or a launcher that is not known.
    let is_program = is_linked_with_mpi(&found);
    let mut others = words.iter().skip(1).filter(|word| !is_program && !text(word).starts_with('-'));
    others.find_map(|word| executable(word).filter(|path| is_linked_with_mpi(path))).unwrap_or(found)
}

/// The places in the command where it begins, and where a command begins that another one in front of it starts, in the
/// words of the command itself (not in a line for a shell).
pub(in crate::run) fn starts(command: &[OsString]) -> Vec<usize> {
    let next = |start: &usize| {
        let words = &command[*start..];
        let rest = behind(words).filter(|rest| !rest.is_empty() && words[1..].ends_with(rest))?;
        Some(command.len() - rest.len())
    };
    std::iter::successors(Some(0).filter(|_| !command.is_empty()), next).take(MOST).collect()
}

pub(in crate::run) fn file(word: &OsString) -> PathBuf {
    executable(word).unwrap_or_else(|| word.into())
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

fn name(word: &OsStr) -> String {
    Path::new(word).file_name().map(text).unwrap_or_default()
}

/// The words of the command that the first one starts; `None` if it starts none, or nobody knows.
fn behind(words: &[OsString]) -> Option<Vec<OsString>> {
    let called = name(words.first()?);
    let rest = &words[1..];
    match &*called {
        "env" => Some(behind_env(rest)),
        "bash" | "sh" | "dash" | "zsh" | "ksh" => behind_shell(rest),
        "xterm" => rest.iter().position(|word| *word == *"-e").map(|at| rest[at + 1..].to_vec()),
        "flux" => behind_flux(words),
        _ => WRAPPERS.iter().find(|wrapper| wrapper.name == called).map_or_else(
            || behind_launcher(words, &called),
            |wrapper| Some(skip_options(rest, wrapper.values, wrapper.words).to_vec()),
        ),
    }
}

/// A program that does something and then becomes, or starts, the one behind its options.
struct Wrapper {
    name: &'static str,
    /// Options with a value in the next word.
    values: &'static [&'static str],
    /// Words of its own in front of the program.
    words: usize,
}

const fn wrapper(name: &'static str, values: &'static [&'static str], words: usize) -> Wrapper {
    Wrapper { name, values, words }
}

const TRACERS: [&str; 16] =
    ["-o", "-e", "-s", "-p", "-u", "-E", "-a", "-O", "-S", "-P", "-I", "-b", "-X", "-l", "-F", "-n"];
const CONTAINERS: [&str; 12] =
    ["-B", "--bind", "--mount", "-H", "--home", "-W", "--workdir", "--pwd", "--env", "--env-file", "-o", "--overlay"];

const WRAPPERS: [Wrapper; 21] = [
    wrapper("timeout", &["-k", "--kill-after", "-s", "--signal"], 1),
    wrapper(
        "numactl",
        &["-N", "-m", "-C", "-i", "-p", "--cpunodebind", "--membind", "--physcpubind", "--interleave", "--preferred"],
        0,
    ),
    wrapper("taskset", &[], 1),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    wrapper("chrt", &["-T", "-P", "-D"], 1),
    wrapper("time", &["-f", "--format", "-o", "--output"], 0),
    wrapper("stdbuf", &["-i", "--input", "-o", "--output", "-e", "--error"], 0),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("command", &[], 0),
    wrapper("strace", &TRACERS, 0),
    wrapper("ltrace", &TRACERS, 0),
    wrapper("valgrind", &[], 0),
    wrapper("gdb", &["-ex", "-x", "-iex", "-ix", "-d", "-cd", "--command", "--directory", "--cd"], 0),
    wrapper("perf", &["-o", "--output", "-e", "--event", "-F", "--freq", "-c", "--count", "--call-graph"], 1),
    // `exec IMAGE`
    wrapper("singularity", &CONTAINERS, 2),
    wrapper("apptainer", &CONTAINERS, 2),
    wrapper("sudo", &["-u", "-g", "-E"], 0),
    wrapper("catchsegv", &[], 0),
];

/// The words behind options, those with `values` as two words, and behind `own` more words.
fn skip_options<'a>(words: &'a [OsString], values: &[&str], mut own: usize) -> &'a [OsString] {
    let mut i = 0;
    while let Some(word) = words.get(i) {
        let word = text(word);
        if word == "--" {
            i += 1;
            break;
        } else if word.starts_with('-') {
            i += usize::from(values.contains(&&*word));
        } else if own > 0 {
            own -= 1;
        } else {
            break;
        }
        i += 1;
    }
    words.get((i + own).min(words.len())..).unwrap_or_default()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

fn behind_env(words: &[OsString]) -> Vec<OsString> {
    if let Some(at) = words.iter().position(|word| *word == *"-S") {
        let split = words.get(at + 1).map(|line| commands(&text(line)).concat()).unwrap_or_default();
        return behind_env(
            &split.into_iter().map(Into::into).chain(words.iter().skip(at + 2).cloned()).collect::<Vec<_>>(),
        );
    }
    let rest = skip_options(words, &["-u", "--unset", "-C", "--chdir"], 0);
    rest.iter().skip_while(|word| is_assignment(&text(word))).cloned().collect()
}

/// `bash SCRIPT` and `bash -c COMMANDS`.
fn behind_shell(words: &[OsString]) -> Option<Vec<OsString>> {
    let is_command = |word: &OsString| {
        let word = text(word);
        word.starts_with('-') && !word.starts_with("--") && word.contains('c')
    };
    let rest = skip_options(words, &["-o", "-O", "+o", "+O", "--rcfile", "--init-file"], 0);
    let options = &words[..words.len() - rest.len()];
    if !options.iter().any(is_command) {
        return (!rest.is_empty()).then(|| rest.to_vec());
    }
    let (line, arguments) = rest.split_first()?;
    let all = commands(&text(line));
    all.iter().find_map(|command| {
        let start = command.iter().position(|word| !is_assignment(word) && !KEYWORDS.contains(&&**word))?;
        let command = &command[start..];
        (!HELPERS.contains(&&*command[0])).then(|| expand(command, arguments)).filter(|words| !words.is_empty())
    })
}

/// Words of a shell in front of a command.
const KEYWORDS: [&str; 9] = ["if", "then", "else", "do", "while", "until", "!", "builtin", "eval"];
/// Commands in scripts that are not the ones which the scripts are for.
const HELPERS: [&str; 50] = [
    "cd", "export", "source", ".", "ulimit", "set", "unset", "echo", "printf", "umask", "module", "ml", "sleep",
    "test", "[", "[[", "true", "false", ":", "mkdir", "rm", "cp", "mv", "ln", "cat", "ls", "hostname", "date", "trap",
    "wait", "local", "read", "exit", "alias", "pwd", "for", "case", "fi", "done", "esac", "shopt", "touch", "declare",
    "conda", "kill", "shift", "return", "getopts", "hash", "type",
];

/// The words with the arguments of the shell (`$0`, `$1`, `"$@"`) in their places.
fn expand(words: &[String], arguments: &[OsString]) -> Vec<OsString> {
    let value = |word: &String| match &**word {
        "$@" | "$*" => arguments.get(1..).unwrap_or_default().to_vec(),
        _ => match word.strip_prefix('$').map(str::parse::<usize>) {
            Some(Ok(number)) => arguments.get(number).cloned().into_iter().collect(),
            _ => vec![word.into()],
        },
    };
    words.iter().flat_map(value).collect()
}

/// The commands in a line of a shell, each as its words, without redirections.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    // The next word is the file of a redirection.
    let mut redirects = false;
    let mut letters = line.chars().peekable();
    let mut end = |word: &mut Option<String>, redirects: &mut bool, ends_command: bool| {
        if let Some(word) = word.take()
            && !std::mem::take(redirects)
        {
            all.last_mut().expect("never empty").push(word);
        }
        if ends_command {
            all.push(Vec::new());
        }
    };
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None | Some('"'), '$') if letters.peek() == Some(&'(') => {
                let word = word.get_or_insert_default();
                word.push(letter);
                let mut depth = 0;
                for letter in letters.by_ref() {
                    word.push(letter);
                    depth += i32::from(letter == '(') - i32::from(letter == ')');
                    if depth == 0 {
                        break;
                    }
                }
            }
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            (_, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                _ = word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => while letters.next_if(|next| *next != '\n').is_some() {},
            (None, '<' | '>') => {
                // `2>` and `2>&1`: the number is none of the words.
                word = word.filter(|word| !word.bytes().all(|b| b.is_ascii_digit()));
                end(&mut word, &mut redirects, false);
                while letters.next_if(|next| matches!(next, '>' | '<' | '&' | '|')).is_some() {}
                redirects = true;
            }
            (None, '&') if letters.next_if_eq(&'>').is_some() => {
                end(&mut word, &mut redirects, false);
                redirects = true;
            }
            (None, ';' | '\n' | '|' | '&' | '(' | ')') => end(&mut word, &mut redirects, true),
            (None, _) if letter.is_whitespace() => end(&mut word, &mut redirects, false),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    end(&mut word, &mut redirects, false);
    all.retain_mut(|command| {
        command.retain(|word| word != "{" && word != "}");
        !command.is_empty()
    });
    all
}

/// `flux proxy JOB COMMAND`, and what [`flux_command`] knows.
fn behind_flux(words: &[OsString]) -> Option<Vec<OsString>> {
    match flux_command(words) {
        Some(at) => behind_options(Launcher::Flux, &words[at..]),
        None if words.get(1).is_some_and(|word| *word == *"proxy") => Some(skip_options(&words[2..], &[], 1).to_vec()),
        None => None,
    }
}

/// The place of the word that says what `flux` is to do, if it is to start a command: `flux run`, `flux mini run`, `flux alloc`.
pub(in crate::run) fn flux_command(words: &[OsString]) -> Option<usize> {
    let at = if words.get(1).is_some_and(|word| *word == *"mini") { 2 } else { 1 };
    let starts = ["run", "submit", "alloc", "start", "batch", "exec"];
    words.get(at).filter(|word| starts.iter().any(|known| *word == known)).map(|_| at)
}

fn behind_launcher(words: &[OsString], called: &str) -> Option<Vec<OsString>> {
    let kind = match called {
        "salloc" => Launcher::Srun,
        _ => Launcher::of(&file(&words[0])),
    };
    let is_launcher = kind != Launcher::Other || called.starts_with("mpirun") || called.starts_with("mpiexec");
    (is_launcher || LAUNCHERS.contains(&called)).then(|| behind_options(kind, words)).flatten()
}

/// Launchers of which no more is known than their names.
const LAUNCHERS: [&str; 10] =
    ["aprun", "jsrun", "lrun", "ibrun", "prun", "mpprun", "yhrun", "ccc_mprun", "poe", "pbsdsh"];

/// The first program of a launcher.
fn behind_options(kind: Launcher, words: &[OsString]) -> Option<Vec<OsString>> {
    let first = programs(kind, words).into_iter().next()?;
    let in_file = first.options.iter().find(|i| FILES_OF_PROGRAMS.contains(&option_name(&text(&words[**i]))));
    if let Some(at) = in_file {
        let word = text(&words[*at]);
        let file =
            word.split_once('=').map_or_else(|| words.get(at + 1).map(|file| text(file)), |f| Some(f.1.into()))?;
        let line: Vec<OsString> = first_line(Path::new(&file))?.split_whitespace().map(Into::into).collect();
        // The file names no other one.
        let has_program = line.iter().all(|word| !FILES_OF_PROGRAMS.contains(&option_name(&text(word))));
        return has_program.then(|| behind_options(kind, &[&words[..1], &line].concat())).flatten();
    }
    let found = words.get(first.program?..first.end)?.to_vec();
    let has = |option: &str| first.options.iter().any(|i| words[*i] == *option);
    if kind == Launcher::Srun && has("--multi-prog") {
        return of_multiple_programs(Path::new(&found[0]));
    }
    Some(found)
}

/// The first program in a file of `srun --multi-prog`: ranks, then a command.
fn of_multiple_programs(file: &Path) -> Option<Vec<OsString>> {
    let words: Vec<OsString> = first_line(file)?.split_whitespace().skip(1).map(Into::into).collect();
    (!words.is_empty()).then_some(words)
}

/// Options whose value is a file of programs, each line with the options of one (Hydra, Open MPI).
const FILES_OF_PROGRAMS: [&str; 2] = ["configfile", "app"];

/// The first line that says something.
fn first_line(file: &Path) -> Option<String> {
    let bytes = trace_format::untrusted::read(file, MOST_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned)
}

/// No file of programs is longer.
const MOST_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &[&str]) -> Vec<OsString> {
        command.iter().map(OsString::from).collect()
    }

    fn of(command: &str) -> String {
        name(program(&words(&command.split(' ').collect::<Vec<_>>())).as_os_str())
    }

    fn of_words(command: &[&str]) -> String {
        name(program(&words(command)).as_os_str())
    }

    #[test]
    fn programs_are_found_behind_launchers() {
        for command in [
            "./app",
            "mpirun -n 4 ./app in.dat",
            "mpirun -n 2 ./app : -n 2 ./other",
            "mpirun.openmpi --mca plm_rsh_agent ssh -H a:2,b:2 --mca btl self,tcp -n 4 ./app /bin/true",
            "mpirun.openmpi --mca plm_rsh_agent /usr/bin/rsh --prefix /opt -np 4 ./app",
            "mpiexec.mpich -launcher ssh -launcher-exec /usr/bin/env -hosts a,b -n 4 ./app",
            "mpiexec.hydra -bootstrap ssh -bootstrap-exec env -n 4 ./app",
            "mpiexec.hydra -genv sort env -n 4 ./app",
            "srun -N3 -n 6 --mpi=pmi2 ./app",
            "srun -p test --time 5 -w node1 ./app",
            "srun --ntasks-per-node 2 --kill-on-bad-exit --cpu-bind none -l ./app",
            "srun -n 1 ./app : -n 2 ./other",
            "salloc -N 3 -n 6 mpirun.openmpi ./app",
            "salloc -N 3 mpiexec.mpich -launcher slurm ./app",
            "flux run -n 4 -o mpi=openmpi ./app",
            "flux mini run -N 2 -n 4 ./app",
            "flux alloc -N2 flux run -n4 ./app",
            "flux proxy f7 flux run -n 4 ./app",
            "aprun -n 4 -N 2 ./app",
            "mpirun_rsh -n 4 ./app",
        ] {
            assert_eq!(of(command), "app", "{command}");
        }
    }

    #[test]
    fn programs_are_found_behind_wrappers() {
        for command in [
            "env ./app",
            "env -i -u X A=1 B= ./app",
            "env - A=1 ./app",
            "timeout 60 mpirun -n 4 ./app",
            "timeout -k 5 --signal KILL 60 srun -n 4 ./app",
            "timeout -s9 60 srun timeout 50 ./app",
            "mpirun -n 4 numactl -N 0 --membind=0 ./app",
            "mpirun -n 4 numactl --localalloc --physcpubind 0,1 ./app",
            "mpirun -n 4 taskset -c 0-3 ./app",
            "mpirun -n 4 nice -n 5 ./app",
            "mpirun -n 4 nice -5 ionice -c 3 stdbuf -o L -e0 ./app",
            "time -p mpirun -n 4 ./app",
            "nohup setsid mpirun -n 4 ./app",
            "mpirun -n 4 valgrind --tool=memcheck ./app",
            "mpirun -n 4 xterm -hold -e gdb -ex run --args ./app x",
            "mpirun -n 4 strace -f -o out ./app",
            "mpirun -n 4 perf record -e cycles ./app",
            "mpirun -n 4 apptainer exec --bind /data image.sif ./app",
            "bash -c ./app",
            "mpirun -n 4 bash ./app x",
            "mpirun -n 4 bash -x -e ./app x",
        ] {
            assert_eq!(of(command), "app", "{command}");
        }
    }

    #[test]
    fn programs_are_found_in_the_commands_of_a_shell() {
        for line in [
            "./app in > out.$PMI_RANK",
            "./app",
            "cd /tmp && exec ./app x 2>&1 | tee log",
            "export X='1; 2'; ulimit -s unlimited; ./app",
            "X=1 Y=\"a b\" ./app",
            "# first\nsource env.sh; numactl -N $((RANK % 2)) ./app",
            "if [ $RANK = 0 ]; then ./app; else ./other; fi",
            "mpirun -n 4 ./app >log",
            "( cd x; ./app )",
            ">out 2>err ./app",
            "{ ./app; }",
        ] {
            assert_eq!(of_words(&["srun", "-n4", "bash", "-lc", line]), "app", "{line}");
        }
        assert_eq!(of_words(&["mpirun", "sh", "-c", "exec \"$@\" >out", "_", "./app", "x"]), "app");
        assert_eq!(of_words(&["mpirun", "sh", "-c", "exec $0 $1", "./app", "x"]), "app");
        assert_eq!(of_words(&["bash", "-c", "cd /tmp; echo x"]), "bash");
        assert_eq!(of_words(&["bash"]), "bash");
    }

    #[test]
    fn a_file_of_several_programs_has_the_first() {
        let file = std::env::temp_dir().join(format!("mpivet-multi-{}", std::process::id()));
        std::fs::write(&file, "# ranks\n\n0-1 ./app %t\n2   ./other\n").unwrap();
        assert_eq!(of(&format!("srun -n3 --multi-prog {}", file.display())), "app");
        std::fs::remove_file(file).unwrap();
        assert_eq!(of("srun -n3 --multi-prog /nowhere"), "srun");
    }

    #[test]
    fn programs_are_found_in_files_of_launchers() {
        let file = std::env::temp_dir().join(format!("mpivet-programs-{}", std::process::id()));
        std::fs::write(&file, "# programs\n\n-n 2 ./app in.dat\n-n 1 ./other\n").unwrap();
        let file_name = file.display();
        for command in [
            format!("mpiexec.hydra -configfile {file_name}"),
            format!("mpirun.openmpi --app {file_name}"),
            format!("mpirun.openmpi -q --app {file_name}"),
        ] {
            assert_eq!(of(&command), "app", "{command}");
        }
        std::fs::write(&file, format!("-configfile {file_name}\n")).unwrap();
        assert_eq!(of(&format!("mpiexec.hydra -configfile {file_name}")), "mpiexec.hydra");
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn commands_in_a_command_have_their_places() {
        let of = |command: &str| starts(&words(&command.split(' ').collect::<Vec<_>>()));
        assert_eq!(of("timeout 60 env A=1 mpirun -n 4 ./app x"), [0, 2, 4, 7]);
        assert_eq!(of("mpirun -n 1 ./a : -n 1 ./b"), [0]);
        assert_eq!(of("bash -c ./a"), [0, 2]);
        assert_eq!(of("./a"), [0]);
    }

    #[test]
    fn words_of_other_programs_are_no_programs() {
        // There are programs of these names.
        assert_eq!(of("make test"), "make");
        assert_eq!(of("ctest -R sort"), "ctest");
        assert_eq!(of("./app /bin/true"), "app");
        assert_eq!(of("mpirun -n 4 python3 env"), "python3");
        assert_eq!(of("mpirun"), "mpirun");
        assert_eq!(of("mpirun -n 4"), "mpirun");
        assert_eq!(of("timeout 5"), "timeout");
        assert_eq!(
            program(&words(&["mpirun", "-n", "4", "--oversubscribe", "/bin/true", "x"])),
            Path::new("/bin/true")
        );
        assert!(program(&words(&["srun", "-n", "4", "true", "sh"])).ends_with("bin/true"));
    }
}
