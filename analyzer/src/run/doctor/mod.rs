//! `mpivet doctor`: looks at all that a run under mpivet needs, before there is one, and says what will not work and what to do.
//! The launcher starts a process of mpivet in place of each rank, which tells what reaches it (`ranks.rs`).

mod machine;
mod program;
mod ranks;

pub(crate) use ranks::answer;

use super::find;
use crate::cli::DoctorPlan;
use crate::exit::{CANNOT, CLEAN, Exit};
use report::clean_text;
use std::fmt::Write as _;

/// How much a fact matters to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Fine,
    /// The run works, with less to say.
    Note,
    /// Nothing will be recorded, or not all of it.
    Problem,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::Note => "note",
            State::Problem => "PROBLEM",
        }
    }
}

/// A fact about the run.
#[derive(Debug)]
struct Fact {
    state: State,
    subject: &'static str,
    text: String,
    /// Advice, where there is something to do.
    advice: Option<String>,
}

impl Fact {
    fn fine(subject: &'static str, text: impl Into<String>) -> Fact {
        Fact { state: State::Fine, subject, text: text.into(), advice: None }
    }

    fn note(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Fact {
        Fact { state: State::Note, subject, text: text.into(), advice: Some(advice.into()) }
    }

    fn problem(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Fact {
        Fact { state: State::Problem, subject, text: text.into(), advice: Some(advice.into()) }
    }
}

pub(crate) fn doctor(plan: &DoctorPlan) -> Result<u8, Exit> {
    let launcher =
        find::executable(&plan.command[0]).ok_or_else(|| Exit::Usage(find::not_runnable(&plan.command[0])))?;
    let mut facts = Vec::new();
    let library = machine::libraries(&mut facts);
    facts.push(machine::directory(&plan.dir));
    let program = program::look(&plan.command, &launcher, &mut facts);
    if let Some(library) = library.filter(|_| plan.starts) {
        ranks::look(plan, &launcher, &library, &program, &mut facts);
    }
    let worst = facts.iter().map(|fact| fact.state).max().unwrap_or(State::Fine);
    crate::exit::put(&text(&facts, worst, plan.starts))?;
    Ok(if worst == State::Problem { CANNOT } else { CLEAN })
}

/// Columns of the words of states and subjects.
const STATE: usize = 9;
const SUBJECT: usize = 13;

fn text(facts: &[Fact], worst: State, is_tried: bool) -> String {
    let mut text = String::new();
    for Fact { state, subject, text: said, advice } in facts {
        _ = writeln!(text, "{:STATE$}{subject:SUBJECT$}{}", state.word(), clean_text(said));
        if let Some(advice) = advice {
            _ = writeln!(text, "{:1$}-> {2}", "", STATE + SUBJECT, clean_text(advice));
        }
    }
    text.push_str(match worst {
        State::Problem => "\nmpivet run will not work, or not see all ranks, before the problems are solved.\n",
        _ if is_tried => "\nmpivet run will work.\n",
        _ => "\nNothing is in the way, as far as can be seen without starting the launcher.\n",
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_told_with_what_to_do() {
        let facts = [Fact::fine("launcher", "mpirun"), Fact::problem("program", "static", "link it dynamically")];
        let said = text(&facts, State::Problem, true);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[0], "ok       launcher     mpirun");
        assert_eq!(lines[1], "PROBLEM  program      static");
        assert_eq!(lines[2].trim_start(), "-> link it dynamically");
        assert!(lines[4].starts_with("mpivet run will not work"));
    }
}
