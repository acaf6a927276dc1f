//! Random programs with buffers of all kinds, held against what is wrong in them: no report of what is right, and most of what is
//! wrong is reported. Small in CI, with many programs with `MPIVET_TEST_FULL=1`.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::{scratch, share, vet};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
/// Buffers of one program.
const BUFFERS: usize = 60;

const TYPE: &str = "buffer-type";
const SIZE: &str = "buffer-too-small";

/// Types of C: the name, the kind (`c`: may hold anything), and the bytes.
const DECLARED: [(&str, char, usize); 9] = [
    ("char", 'c', 1),
    ("short", 'i', 2),
    ("int", 'i', 4),
    ("unsigned", 'i', 4),
    ("long", 'i', 8),
    ("unsigned long long", 'i', 8),
    ("float", 'f', 4),
    ("double", 'f', 8),
    ("double _Complex", 'z', 16),
];

/// Datatypes in the same form. `pair` and `spread` are derived: two numbers side by side, and with a gap of one between them.
const DATATYPES: [(&str, char, usize); 10] = [
    ("MPI_BYTE", 'c', 1),
    ("MPI_SHORT", 'i', 2),
    ("MPI_INT", 'i', 4),
    ("MPI_UNSIGNED", 'i', 4),
    ("MPI_LONG", 'i', 8),
    ("MPI_FLOAT", 'f', 4),
    ("MPI_DOUBLE", 'f', 8),
    ("MPI_C_DOUBLE_COMPLEX", 'z', 16),
    ("pair", 'f', 8),
    ("spread", 'i', 4),
];

const CALLS: [&str; 3] = [
    "MPI_Bcast(BUF, COUNT, TYPE, 0, MPI_COMM_SELF);",
    "MPI_Ibcast(BUF, COUNT, TYPE, 0, MPI_COMM_SELF, &request);",
    "MPI_Bcast(BUF, COUNT, TYPE, 0, alone);",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A program, and what is wrong in which line of it.
struct Made {
    source: String,
    wrong: BTreeSet<(usize, &'static str)>,
}

/// Bytes from the first to behind the last one.
fn bytes(datatype: (&str, char, usize), count: usize) -> usize {
    let one = match datatype.0 {
        "pair" => 2,
        "spread" => 3,
        _ => 1,
    };
    one * datatype.2 * count
}

fn make(seed: u64) -> Result<Made> {
    let mut random = Random(seed);
    random.below(2);
    let (mut globals, mut body) = (String::new(), String::new());
    let mut calls: Vec<(String, Vec<&'static str>)> = Vec::new();
    for number in 0..BUFFERS {
        let (name, declared) = (format!("v{number}"), random.of(&DECLARED));
        let (length, datatype) = (1 + random.below(20), random.of(&DATATYPES));
        let (type_name, kind, size) = declared;
        // Half of them are to be right in both ways.
        let like = |d: &&(&str, char, usize)| d.1 == kind && d.2 == size;
        let right = DATATYPES.iter().find(like).copied().filter(|_| random.below(2) == 0);
        let datatype = right.unwrap_or(datatype);
        let fitting = length * size / bytes(datatype, 1);
        let count = if fitting > 0 && random.below(2) == 0 { 1 + random.below(fitting) } else { 1 + random.below(40) };
        let array = format!("{type_name} {name}[{length}];");
        let (first, room) = match random.below(6) {
            0 => (name.clone(), array.clone()),
            1 => (name.clone(), format!("static {array}")),
            2 => {
                _ = writeln!(globals, "struct s{number} {{ {array} long behind; }};");
                (format!("box{number}.{name}"), format!("struct s{number} box{number};"))
            }
            3 => (name.clone(), format!("{type_name} *{name} = malloc({length} * sizeof *{name});")),
            4 => {
                _ = writeln!(globals, "{array}");
                (name.clone(), String::new())
            }
            _ => {
                _ = writeln!(globals, "static {array}");
                (name.clone(), String::new())
            }
        };
        // In a structure, all of it counts.
        let has = if first.starts_with("box") { (length * size).next_multiple_of(8) + 8 } else { length * size };
        let skip = random.below(length.min(3));
        let buffer = if skip == 0 { first.clone() } else { format!("&{first}[{skip}]") };
        let may_be_anything = kind == 'c' || datatype.1 == 'c';
        let is_complex = |one: (&str, char, usize), other: (&str, char, usize)| {
            one.1 == 'z' && other.1 == 'f' && one.2 == 2 * other.2
        };
        let are_alike = kind == datatype.1 && size == datatype.2;
        let mut wrong = Vec::new();
        if !may_be_anything && !are_alike && !is_complex(declared, datatype) && !is_complex(datatype, declared) {
            wrong.push(TYPE);
        }
        if skip * size + bytes(datatype, count) > has {
            wrong.push(SIZE);
        }
        _ = writeln!(body, "    {room} keep({first});");
        let call = random.of(&CALLS).replace("BUF", &buffer).replace("COUNT", &count.to_string());
        calls.push((call.replace("TYPE", datatype.0), wrong));
    }
    let mut source = format!(
        "#include <mpi.h>\n#include <stdlib.h>\n\
         __attribute__((noinline)) static void keep(void *p) {{ __asm__ volatile(\"\" :: \"r\"(p) : \"memory\"); }}\n\
         {globals}int main(int argc, char **argv)\n{{\n    MPI_Init(&argc, &argv);\n\
         \x20   MPI_Comm alone;\n    MPI_Comm_dup(MPI_COMM_SELF, &alone);\n\
         \x20   MPI_Request request;\n    MPI_Datatype pair, spread;\n\
         \x20   MPI_Type_contiguous(2, MPI_DOUBLE, &pair);\n    MPI_Type_commit(&pair);\n\
         \x20   MPI_Type_vector(2, 1, 2, MPI_INT, &spread);\n    MPI_Type_commit(&spread);\n{body}"
    );
    let mut all = BTreeSet::new();
    for (call, wrong) in calls {
        let line = source.lines().count() + 1;
        all.extend(wrong.into_iter().map(|check| (line, check)));
        _ = writeln!(source, "    {call}");
        if call.contains("request") {
            source += "    MPI_Wait(&request, MPI_STATUS_IGNORE);\n";
        }
    }
    source += "    MPI_Type_free(&pair);\n    MPI_Type_free(&spread);\n    MPI_Comm_free(&alone);\n";
    source += "    MPI_Finalize();\n    return 0;\n}\n";
    Ok(Made { source, wrong: all })
}

/// How many mistakes are in a program, and how many were found.
fn run(mpi: &Mpi, dir: &Path, seed: u64, level: &str) -> Result<(usize, usize)> {
    _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir)?;
    let (source, program) = (dir.join("random.c"), dir.join("random"));
    let made = make(seed)?;
    std::fs::write(&source, &made.source)?;
    compile_to(mpi, &program, &mpi.mpicc, &["-g", level, "-w", "-std=gnu11"], &source)?;
    let options = ["--heap", "--max-findings", "0"].map(str::to_owned);
    let vetted = vet::vet_with(&options, &mpi.job(1, &program, &[]), &dir.join("run"), LIMIT)?;
    let mut found = BTreeSet::new();
    for finding in &vetted.report.findings {
        let check = [TYPE, SIZE].into_iter().find(|check| finding.check == *check);
        let lines = finding.sites.iter().map(|site| site.line);
        found.extend(check.into_iter().flat_map(|check| lines.clone().map(move |line| (line, check))));
    }
    let line = |(line, check): &(usize, &str)| {
        format!("{check} in line {line}: {}", made.source.lines().nth(line - 1).unwrap_or_default())
    };
    let false_ones: Vec<String> = found.difference(&made.wrong).map(line).collect();
    ensure!(
        false_ones.is_empty(),
        "{}: {}\n{}",
        dir.display(),
        false_ones.join("\n"),
        vet::last_words(&vetted.outcome)
    );
    let missed: Vec<String> = made.wrong.difference(&found).map(line).collect();
    std::fs::write(dir.join("missed"), missed.join("\n"))?;
    Ok((made.wrong.len(), found.len()))
}

#[test]
fn nothing_right_is_reported_and_most_of_what_is_wrong_is() -> Result<()> {
    let programs = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 60 } else { 2 };
    for mpi in share::mpis("nothing_right_is_reported_and_most_of_what_is_wrong_is") {
        let (mut wrong, mut found) = (0, 0);
        for seed in 1..=programs {
            let level = ["-O0", "-O2"][seed as usize % 2];
            let dir = scratch().join(format!("random-buffers-{}-{seed}", mpi.name));
            let (of_it, of_them) = run(&mpi, &dir, seed, level).with_context(|| format!("{} {seed}", mpi.name))?;
            (wrong, found) = (wrong + of_it, found + of_them);
        }
        println!("{}: {found} of {wrong} mistakes in {programs} programs", mpi.name);
        ensure!(wrong > 20 && found * 100 >= wrong * 95, "{}: {found} of {wrong} mistakes", mpi.name);
    }
    Ok(())
}
