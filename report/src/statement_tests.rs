use super::*;

/// The statement of the call of `function` in line `line` of `text`.
fn read(language: Language, text: &str, line: u32, function: &str) -> Statement {
    Statement::read(&Code::new(language, text), line, function).unwrap()
}

fn argument(statement: &Statement, i: usize) -> Option<String> {
    statement.argument(i).map(|place| statement.text()[place].to_owned())
}

fn name(statement: &Statement) -> Option<String> {
    statement.name().map(|place| statement.text()[place].to_owned())
}

#[test]
fn a_call_in_one_line() {
    let text = "int x;\n  MPI_Send(&a[f(1, 2)], n, MPI_INT, /* to, */ dest, 7, comm); // MPI_Send(b)\ny();\n";
    let s = read(Language::C, text, 2, "MPI_Send");
    assert_eq!((s.first_line, s.lines.len()), (2, 1));
    assert_eq!((s.before.as_deref(), s.after.as_deref()), (Some("int x;"), Some("y();")));
    assert_eq!(name(&s).as_deref(), Some("MPI_Send"));
    let given: Vec<_> = (0..7).map(|i| argument(&s, i)).collect();
    let expected = ["&a[f(1, 2)]", "n", "MPI_INT", "dest", "7", "comm"].map(|a| Some(a.to_owned()));
    assert_eq!(given[..6], expected);
    assert_eq!(given[6], None);
}

#[test]
fn a_call_of_several_lines_is_found_from_each_of_them() {
    let text =
        "a();\nerr =\n  CHECK(MPI_Recv(buf, 1, // one, (\n    MPI_INT, from,\n    \")\", comm, &s)\n  );\nb();\n";
    for line in 3..=5 {
        let s = read(Language::C, text, line, "MPI_Recv");
        assert_eq!((s.first_line, s.lines.len()), (2, 5), "line {line}");
        assert_eq!((s.before.as_deref(), s.after.as_deref()), (Some("a();"), Some("b();")));
        assert_eq!(argument(&s, 3).as_deref(), Some("from"));
        assert_eq!(argument(&s, 4).as_deref(), Some("\")\""));
    }
    // No part of the call: the line alone.
    let s = read(Language::C, text, 7, "MPI_Recv");
    assert_eq!((s.first_line, s.lines.len(), s.name()), (7, 1, None));
}

#[test]
fn what_is_not_certain_has_no_place() {
    // Two calls of the function.
    let s = read(Language::C, "MPI_Send(a, 1, t, 0, 0, c); MPI_Send(b, 1, t, 0, 0, c);", 1, "MPI_Send");
    assert_eq!((s.name(), s.argument(0), s.lines.len()), (None, None, 1));
    // A macro brings some of the arguments.
    let s = read(Language::C, "MPI_Send(BUFFER, dest, 0, comm);", 1, "MPI_Send");
    assert_eq!((name(&s).as_deref(), s.argument(0)), (Some("MPI_Send"), None));
    // A macro brings the call, or another function has such a name.
    for text in ["SEND(a);", "MPI_Send_all(a, 1, t, 0, 0, c);", "MPI_Send;", "\"MPI_Send(a, 1, t, 0, 0, c)\";"] {
        assert_eq!(read(Language::C, text, 1, "MPI_Send").name(), None, "{text}");
    }
    // It does not end.
    assert_eq!(read(Language::C, "MPI_Send(a, (1;\n)", 1, "MPI_Send").name(), None);
    assert!(Statement::read(&Code::new(Language::C, "x"), 2, "MPI_Send").is_none());
    assert!(Statement::read(&Code::new(Language::C, ""), 0, "MPI_Send").is_none());
}

#[test]
fn conditions_and_bodies_are_no_part_of_the_statement() {
    let s = read(Language::C, "if (rank == 0)\n  MPI_Barrier(comm);\nelse {", 2, "MPI_Barrier");
    assert_eq!((s.first_line, s.lines.len()), (2, 1));
    let s = read(Language::C, "if (MPI_Barrier(\n  comm) != 0) {\n  x();\n}", 1, "MPI_Barrier");
    assert_eq!((s.first_line, s.lines.len()), (1, 2));
    assert_eq!(argument(&s, 0).as_deref(), Some("comm"));
}

#[test]
fn fortran_with_lines_that_go_on() {
    let text = "x = 1\ncall mpi_send(a(1, 2), & ! it's\n  ! nothing, here\n  & count, MPI_REAL, 'a, b', &\n  tag, comm, ierr)\ny = 1\n";
    for line in 2..=5 {
        let s = read(Language::Fortran, text, line, "MPI_Send");
        assert_eq!((s.first_line, s.lines.len()), (2, 4), "line {line}");
        assert_eq!(name(&s).as_deref(), Some("mpi_send"));
        let given: Vec<_> = (0..6).map(|i| argument(&s, i).unwrap()).collect();
        assert_eq!(given, ["a(1, 2)", "count", "MPI_REAL", "'a, b'", "tag", "comm"]);
        assert_eq!(argument(&s, 6), None);
    }
    // The statement is whole even if the call is not found in it.
    let s = read(Language::Fortran, text, 3, "MPI_Recv");
    assert_eq!((s.first_line, s.lines.len(), s.name()), (2, 4, None));
    let fixed =
        "      call MPI_BCAST(a, 3,\nC it's, a comment\n     +   MPI_REAL, root, comm,\n     2 ierr)\n      end";
    let s = read(Language::FixedFortran, fixed, 1, "MPI_Bcast");
    assert_eq!((s.first_line, s.lines.len()), (1, 4));
    assert_eq!(argument(&s, 3).as_deref(), Some("root"));
}

#[test]
fn arguments_with_names() {
    let s = read(Language::Fortran, "call MPI_Send(a, 1, MPI_REAL, comm=c, dest=1, tag=2)", 1, "MPI_Send");
    assert_eq!(argument(&s, 3).as_deref(), Some("dest=1"));
    assert_eq!(argument(&s, 1).as_deref(), Some("1"));
    assert_eq!(argument(&s, 5).as_deref(), Some("comm=c"));
    let s = read(Language::Python, "comm.Send([a, MPI.INT], dest=1, tag=2)", 1, "MPI_Send");
    assert_eq!((name(&s).as_deref(), argument(&s, 3).as_deref()), (Some("Send"), Some("dest=1")));
    assert_eq!((argument(&s, 0), argument(&s, 2)), (None, None));
    let s = read(Language::C, "MPI_Send(a, x == 1, t, d = 0, 0, c);", 1, "MPI_Send");
    assert_eq!((argument(&s, 1).as_deref(), argument(&s, 3).as_deref()), (Some("x == 1"), Some("d = 0")));
}

#[test]
fn names_of_the_function_in_the_languages() {
    for (language, text, function, expected) in [
        (Language::C, "PMPI_Send(a);", "MPI_Send", Some("PMPI_Send")),
        (Language::C, "MPI::COMM_WORLD.Send(a, 1, MPI::INT, 0, 0);", "MPI_Send", Some("Send")),
        (Language::C, "world->Split(1, 2);", "MPI_Comm_split", Some("Split")),
        (Language::C, "Send(a);", "MPI_Send", None),
        (Language::Fortran, "call MPI_Send_f08(a)", "MPI_Send", Some("MPI_Send_f08")),
        (Language::Fortran, "call MPI_Send(a)", "MPI_Send_c", Some("MPI_Send")),
        (Language::Python, "x = comm.recv(source=1)", "MPI_Mrecv", Some("recv")),
        (Language::Python, "comm.allgather(x)", "MPI_Allgatherv", Some("allgather")),
        (Language::Python, "comm.bcast(x)", "MPI_Bcast", Some("bcast")),
        (Language::Python, "helper(x)", "MPI_Bcast", None),
    ] {
        assert_eq!(name(&read(language, text, 1, function)).as_deref(), expected, "{text}");
    }
}
