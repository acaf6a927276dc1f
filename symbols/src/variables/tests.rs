//! Programs that a compiler makes, looked into.

use super::*;
use object::{Object as _, ObjectSymbol as _};
use std::path::PathBuf;
use std::process::Command;

struct Program {
    dir: tempfile::TempDir,
    path: PathBuf,
    variables: Variables,
}

impl Program {
    fn new(name: &str, source: &str, flags: &[&str]) -> Program {
        let compiler = match name.rsplit_once('.').unwrap().1 {
            "c" => "gcc",
            "cpp" => "g++",
            _ => "gfortran",
        };
        Program::by(compiler, name, source, flags)
    }

    fn by(compiler: &str, name: &str, source: &str, flags: &[&str]) -> Program {
        let dir = tempfile::tempdir().unwrap();
        let (source_path, path) = (dir.path().join(name), dir.path().join("program"));
        std::fs::write(&source_path, source).unwrap();
        let done = Command::new(compiler)
            .current_dir(dir.path())
            .args(["-g", "-o"])
            .arg(&path)
            .arg(&source_path)
            .args(flags)
            .status();
        assert!(done.unwrap().success());
        Program { dir, path, variables: Variables::default() }
    }

    fn split_files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let found: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "dwo")).collect();
        assert!(!found.is_empty());
        found
    }

    fn remove_split_files(&self) {
        self.split_files().iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }

    fn symbol(&self, name: &str) -> u64 {
        self.find(name).expect(name)
    }

    fn find(&self, name: &str) -> Option<u64> {
        let data = std::fs::read(&self.path).unwrap();
        let file = object::File::parse(&*data).unwrap();
        file.symbols().find(|s| s.name() == Ok(name)).map(|s| s.address())
    }

    fn at(&self, offset: u64) -> Frame {
        Frame { module: self.path.display().to_string(), build_id: Vec::new(), offset }
    }

    /// The type that an expression has at a label, with its size.
    fn declared(&mut self, label: &str, syntax: Syntax, expression: &str) -> Option<String> {
        let call = self.at(self.symbol(label));
        let declared = self.variables.declared(&call, 1000, syntax, expression, None)?;
        let leaf = match (declared.leaf)(0)? {
            Leaf::Scalar(scalar) => format!("{} {:?}{}", scalar.path, scalar.kind, scalar.size),
            leaf => format!("{leaf:?}"),
        };
        Some(format!("{}: {leaf}", declared.name))
    }

    /// The local variable at this many bytes below the frame's end, as name, bytes from its beginning, and size.
    fn local(&mut self, label: &str, below: u64) -> Option<(String, u64, u64)> {
        let end = 0x7000_0000;
        let frame = StackFrame { call: self.at(self.symbol(label)), memory: (end - 0x10000, end) };
        let found = self.variables.on_stack(&[frame], end - below, None)?;
        assert!(found.is_local);
        Some((found.name, end - below - found.start, found.size))
    }
}

const C: &str = r#"
#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ": nop" ::: "memory")
#include <stddef.h>
struct inner { double x; float y; };
struct outer { int id; struct inner in[3]; long counts[4]; union { int i; double d; } u; };
typedef double real;
int table[10];
static long hidden[3];
struct flexible { int n; double data[]; };
struct flexible flexible = { 3, { 1, 2, 3 } };
struct outer global;
int apart[4] __attribute__((section("set")));
void keep(void *);
__attribute__((noinline)) void keep(void *p) { __asm__ volatile("" :: "r"(p) : "memory"); }
__attribute__((noinline)) void parameters(real *p, void *v, struct outer *o, int n, float m[][4], char *c)
{
    keep(p); keep(v); keep(o); keep(&n); keep(m); keep(c);
    MARK(in_parameters);
}
__attribute__((noinline)) void locals(int n)
{
    int values[10];
    double one = 1;
    int vla[n];
    static short kept[5];
    keep(values); keep(&one); keep(vla); keep(kept);
    if (n > 1) {
        float block[6];
        keep(block);
        MARK(in_block);
    }
    {
        long values[2];
        keep(values);
    }
    MARK(in_locals);
}
int main(int argc, char **argv)
{
    keep(hidden); keep(&flexible); keep(&global); keep(apart);
    parameters(NULL, NULL, NULL, argc, NULL, argv[0]);
    locals(argc + 2);
    return 0;
}
"#;

/// Ways to write debug information. The flag behind `+` is a program that rewrites the executable.
const FORMATS: [&[&str]; 11] = [
    &["-gdwarf-4"],
    &["-gdwarf-5"],
    &["-gz"],
    &["-fdebug-types-section"],
    &["-fdebug-types-section", "-gdwarf-4"],
    &["-gsplit-dwarf"],
    &["-gsplit-dwarf", "-gdwarf-4"],
    &["-gsplit-dwarf", "-fdebug-types-section"],
    &["-gsplit-dwarf", "-gdwarf-4", "+dwp"],
    &["-gsplit-dwarf", "-gdwarf-4", "-fdebug-types-section", "+dwp"],
    &["+dwz"],
];

fn formatted(compiler: &str, format: &[&str], more: &[&str]) -> Program {
    let (tools, flags): (Vec<&str>, Vec<&str>) = format.iter().partition(|flag| flag.starts_with('+'));
    let p = Program::by(compiler, "a.c", C, &[&flags, more].concat());
    for tool in tools {
        let mut tool = Command::new(tool.trim_start_matches('+'));
        let is_package = tool.get_program() == "dwp";
        let done = if is_package { tool.arg("-e").arg(&p.path) } else { tool.arg(&p.path) }.status();
        assert!(done.unwrap().success());
        if is_package {
            p.remove_split_files();
        }
    }
    p
}

#[test]
fn arguments_of_c_have_the_type_of_their_variables() {
    for format in FORMATS {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            arguments_of_c(&mut formatted("gcc", format, &[level]), &format!("{level} {format:?}"));
        }
    }
    for level in ["-O0", "-O2"] {
        for flag in ["-gdwarf-4", "-gdwarf-5", "-gsplit-dwarf", "-fdebug-types-section"] {
            arguments_of_c(&mut formatted("clang", &[flag], &[level]), &format!("clang {level} {flag}"));
        }
    }
    arguments_of_c(&mut formatted("gcc", &["-flto"], &["-O2"]), "-flto");
}

fn arguments_of_c(p: &mut Program, way: &str) {
    let is_clang = way.starts_with("clang");
    let long = if is_clang { "long" } else { "long int" };
    let [counts, hidden] = ["counts", ""].map(|path| format!("{long}: {path} Integer8"));
    let short = if is_clang { "short:  Integer2" } else { "short int:  Integer2" };
    for (expression, wanted) in [
        ("p", "double:  Real8"),
        ("p + n", "double:  Real8"),
        ("&p[3]", "double:  Real8"),
        ("&(p[3])", "double:  Real8"),
        ("(p)", "double:  Real8"),
        ("m", "float:  Real4"),
        ("m[2]", "float:  Real4"),
        ("&m[2][1]", "float:  Real4"),
        ("&n", "int:  Integer4"),
        ("o", "outer: id Integer4"),
        ("&o->id", "int: id Integer4"),
        ("o->counts", &counts),
        ("&o->counts[1]", &counts),
        ("o->in", "inner: x Real8"),
        ("&o->in[2].y", "float: y Real4"),
        ("&o[3].in[1]", "inner: x Real8"),
        ("table", "int:  Integer4"),
        ("&table[1]", "int:  Integer4"),
        ("hidden", &hidden),
        ("&global", "outer: id Integer4"),
        // Unions, bytes, void, casts, calls, scalars, and names that are none.
        ("&o->u.i", ""),
        ("v", ""),
        ("c", ""),
        ("n", ""),
        ("(int *)p", ""),
        ("(void *)(p)", ""),
        ("f(p)", ""),
        ("n ? p : v", ""),
        ("&nothing", ""),
        ("p == v", ""),
    ] {
        let found = p.declared("in_parameters", Syntax::C, expression).unwrap_or_default();
        let found = if found.ends_with("Anything") { "" } else { &found };
        assert_eq!(found, wanted, "{expression} {way}");
    }
    // Two variables have the name.
    assert_eq!(p.declared("in_locals", Syntax::C, "values"), None, "{way}");
    assert_eq!(p.declared("in_locals", Syntax::C, "kept").as_deref(), Some(short), "{way}");
    assert_eq!(p.declared("in_block", Syntax::C, "block").as_deref(), Some("float:  Real4"), "{way}");
    assert_eq!(p.declared("in_locals", Syntax::C, "block"), None, "{way}");
    assert_eq!(p.declared("in_locals", Syntax::C, "p"), None, "{way}");
}

#[test]
fn memory_belongs_to_variables() {
    for level in ["-O0", "-O2"] {
        let p = &mut Program::new("a.c", C, &[level]);
        let mut holds = |symbol: &str, byte: u64| {
            let at = p.symbol(symbol) + byte;
            let found = p.variables.in_module(&p.at(at), None)?;
            Some((found.name, at - found.start, found.size))
        };
        assert_eq!(holds("table", 8).unwrap(), ("table".into(), 8, 40));
        assert_eq!(holds("hidden", 0).unwrap(), ("hidden".into(), 0, 24));
        // With what its initializer has given it.
        assert_eq!(holds("flexible", 4).unwrap(), ("flexible".into(), 4, 32));
        assert_eq!(holds("apart", 0), None);
        assert_eq!(holds("main", 0), None);
        let label = "in_locals";
        let found: Vec<_> = (1..2000).filter_map(|below| p.local(label, below)).collect();
        let firsts: Vec<_> = found.iter().filter(|(_, byte, _)| *byte == 0).cloned().collect();
        assert!(firsts.contains(&("values".into(), 0, 40)), "{firsts:?}");
        assert!(firsts.contains(&("one".into(), 0, 8)) || level == "-O2", "{firsts:?}");
        // Arrays that the program sizes are not known; those of a block that is left are no variables.
        assert!(firsts.iter().all(|(name, ..)| name != "vla" && name != "block"), "{firsts:?}");
    }
}

#[test]
fn a_program_without_debug_information_says_nothing_of_types() {
    let p = &mut Program::new("a.c", C, &["-g0"]);
    assert_eq!(p.declared("in_parameters", Syntax::C, "p"), None);
    assert_eq!((1..2000).find_map(|below| p.local("in_locals", below)), None);
    let table = p.symbol("table");
    assert!(p.variables.in_module(&p.at(table), None).is_some(), "the linker knows its size");
    let stripped = Command::new("strip").arg(&p.path).status();
    assert!(stripped.unwrap().success());
    p.variables = Variables::default();
    assert_eq!(p.variables.in_module(&p.at(table), None), None);
    // Split debug information is in other files, which may be gone, or another program's.
    let p = &mut Program::new("a.c", C, &["-gsplit-dwarf"]);
    let other = Program::new("a.c", &C.replace("10", "12"), &["-gsplit-dwarf"]);
    for (to, from) in p.split_files().iter().zip(other.split_files()) {
        std::fs::copy(from, to).unwrap();
    }
    assert_eq!(p.declared("in_parameters", Syntax::C, "p"), None);
    p.remove_split_files();
    p.variables = Variables::default();
    assert_eq!(p.declared("in_parameters", Syntax::C, "p"), None);
}

const CPP: &str = r#"
#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ": nop" ::: "memory")
#include <array>
#include <complex>
#include <vector>
__attribute__((noinline)) void keep(const void *p) { __asm__ volatile("" :: "r"(p) : "memory"); }
namespace grid { double cells[7]; }
struct Base { int shared; };
struct Mesh : Base {
    std::vector<float> field;
    double size[3];
    __attribute__((noinline)) void exchange(int n) { keep(this); keep(&n); MARK(in_method); }
};
template <class T> __attribute__((noinline)) void send(T *data, int n) { keep(data); keep(&n); MARK(in_template); }
namespace grid { __attribute__((noinline)) void step() { keep(cells); MARK(in_space); } }
int main()
{
    std::vector<double> v(10);
    std::vector<double> &alias = v;
    std::array<int, 4> a{};
    std::complex<double> z(1, 2);
    std::vector<bool> bits(3);
    std::vector<std::vector<int>> rows(3);
    const auto &constant = a;
    keep(&v); keep(&alias); keep(&a); keep(&z); keep(&bits); keep(&rows); keep(&constant);
    Mesh mesh;
    mesh.exchange(2);
    send(a.data(), 4);
    grid::step();
    MARK(in_main);
    return 0;
}
"#;

#[test]
fn arguments_of_cpp_have_the_type_of_what_is_held() {
    for level in ["-O0", "-O2"] {
        let p = &mut Program::new("a.cpp", CPP, &[level]);
        for (label, expression, wanted) in [
            ("in_main", "v.data()", "double:  Real8"),
            ("in_main", "v.data() + 3", "double:  Real8"),
            ("in_main", "&v[0]", "double:  Real8"),
            ("in_main", "alias.data()", "double:  Real8"),
            ("in_main", "a.data()", "int:  Integer4"),
            ("in_main", "constant.data()", "int:  Integer4"),
            ("in_main", "&z", "complex<double>: _M_value Complex16"),
            ("in_main", "rows[1].data()", "int:  Integer4"),
            ("in_main", "&bits[0]", ""),
            ("in_main", "v", ""),
            ("in_main", "v.begin()", ""),
            ("in_main", "cells", ""),
            ("in_method", "field.data()", "float:  Real4"),
            ("in_method", "this->field.data()", "float:  Real4"),
            ("in_method", "size", "double:  Real8"),
            ("in_method", "&shared", "int:  Integer4"),
            ("in_template", "data", "int:  Integer4"),
            ("in_space", "cells", "double:  Real8"),
        ] {
            let found = p.declared(label, Syntax::C, expression).unwrap_or_default();
            let found = if found.ends_with("Anything") { "" } else { &found };
            assert_eq!(found, wanted, "{expression} {level}");
        }
    }
}

const FORTRAN: &str = r#"
module fields
  implicit none
  type cell
    integer :: id
    real(8) :: mass(3)
    logical :: alive
  end type
  real(8), allocatable :: density(:, :)
  integer :: total
  integer :: count_of_cells(5)
end module

subroutine work(n, a, b, c, text)
  use fields
  implicit none
  integer :: n
  real :: a(*), b(n, n)
  real(8) :: c(:)
  character(len=*) :: text
  integer :: fixed(10), i
  real, pointer :: p(:)
  type(cell) :: one
  type(cell), allocatable :: many(:)
  complex(8) :: z(4)
  common /shared/ i
  interface
    subroutine keep(x)
      type(*), dimension(*) :: x
    end subroutine
  end interface
  allocate(p(n), many(n))
  call keep(fixed)
  call keep(z)
  call keep(p)
  one%id = 3
  many(1) = one
  i = total + count_of_cells(1)
  call keep(many)
  print *, n, a(1), b(1, 1), c(1), text, one%alive, i
end subroutine

subroutine keep(x)
  type(*), dimension(*) :: x
end subroutine

program main
  use fields, only: density, renamed => total
  implicit none
  real :: a(4), b(2, 2)
  integer :: own(6)
  interface
    subroutine work(n, a, b, c, text)
      integer :: n
      real :: a(*), b(n, n)
      real(8) :: c(:)
      character(len=*) :: text
    end subroutine
  end interface
  a = 0; b = 0; own = 1
  allocate(density(3, 3))
  density = 0
  call work(2, a, b, density(:, 1), "x")
  call inner
  print *, own(1), renamed
contains
  subroutine inner
    own(2) = 7
    print *, own
  end subroutine
end program
"#;

#[test]
fn arguments_of_fortran_have_the_type_of_their_variables() {
    for level in ["-O0", "-O2", "-fno-automatic"] {
        let p = &mut Program::new("a.f90", FORTRAN, &[level, "-fno-inline-functions"]);
        for (label, expression, wanted) in [
            ("work_", "a", ""),
            ("work_", "A(3)", ""),
            ("work_", "b(1, 1)", ""),
            ("work_", "c", "real(kind=8):  Real8"),
            ("work_", "c(2:3)", "real(kind=8):  Real8"),
            ("work_", "n", ""),
            ("work_", "i", "integer(kind=4):  Integer4"),
            ("work_", "FIXED(2)", "integer(kind=4):  Integer4"),
            ("work_", "fixed", "integer(kind=4):  Integer4"),
            ("work_", "p(2)", "real(kind=4):  Real4"),
            ("work_", "one%mass", "real(kind=8): mass Real8"),
            ("work_", "one%alive", "logical(kind=4): alive Logical4"),
            ("work_", "many", "cell: id Integer4"),
            ("work_", "many(2)%mass(1)", "real(kind=8): mass Real8"),
            ("work_", "z", "complex(kind=8):  Complex16"),
            ("work_", "density(1, 2)", "real(kind=8):  Real8"),
            ("work_", "count_of_cells", "integer(kind=4):  Integer4"),
            ("work_", "text", ""),
            ("work_", "f(a)", ""),
            ("work_", "a + 1", ""),
            ("work_", "3", ""),
            ("MAIN__", "density", "real(kind=8):  Real8"),
            ("MAIN__", "own", "integer(kind=4):  Integer4"),
        ] {
            // The main program may be a part of `main`.
            let starts = [label, "main"].into_iter().filter_map(|label| p.find(label));
            let calls: Vec<Frame> =
                starts.flat_map(|start| (8..300).map(move |at| start + at)).map(|at| p.at(at)).collect();
            let mut at = |call: &Frame| p.variables.declared(call, 1000, Syntax::Fortran, expression, None);
            let declared = if label == "MAIN__" { calls.iter().find_map(at) } else { at(&calls[0]) };
            let found = declared.and_then(|declared| match (declared.leaf)(0)? {
                Leaf::Scalar(s) => Some(format!("{}: {} {:?}{}", declared.name, s.path, s.kind, s.size)),
                _ => None,
            });
            assert_eq!(found.unwrap_or_default(), wanted, "{expression} {level}");
        }
    }
}
