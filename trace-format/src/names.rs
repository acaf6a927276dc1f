//! How reports and the notation write integers and handles: by the standard's names where it has some.

use crate::definition::{COMM_SELF, COMM_WORLD, FIRST_USER_ID, GROUP_EMPTY, Id, NULL_ID, UNKNOWN_ID};
use crate::mpi::predefined::{DATATYPES, OPS};
use crate::mpi::{Kind, special};

/// Names of objects, for printing. The default names them by number.
pub trait Names {
    /// The name that the program gave to an object, or a better one than its number.
    fn name(&self, _kind: Kind, _id: Id) -> Option<String> {
        None
    }
}

/// Objects are named by their numbers.
pub struct NoNames;
impl Names for NoNames {}

/// An object by the name that `names` has for it, or the standard, or by its number: `t0`, `c2`.
pub fn handle_name(kind: Kind, id: Id, names: &dyn Names) -> String {
    if let Some(name) = names.name(kind, id) {
        return name;
    }
    let user = id.wrapping_sub(FIRST_USER_ID);
    match (kind, id) {
        (_, UNKNOWN_ID) => format!("an unknown {}", format!("{kind:?}").to_lowercase()),
        (_, NULL_ID) => format!("MPI_{}_NULL", format!("{kind:?}").to_uppercase()),
        (Kind::Comm, COMM_WORLD) => "MPI_COMM_WORLD".into(),
        (Kind::Comm, COMM_SELF) => "MPI_COMM_SELF".into(),
        (Kind::Group, GROUP_EMPTY) => "MPI_GROUP_EMPTY".into(),
        (Kind::Datatype, id) if (id as usize) <= DATATYPES.len() => DATATYPES[id as usize - 1].into(),
        (Kind::Op, id) if (id as usize) <= OPS.len() => OPS[id as usize - 1].into(),
        (Kind::Datatype, _) => numbered('t', user),
        (Kind::Op, _) => numbered('o', user),
        (kind, id) if id < FIRST_USER_ID => format!("{}#{id}", format!("{kind:?}").to_lowercase()),
        (kind, _) => numbered(kind.noun().chars().next().unwrap_or('x'), user),
    }
}

/// As `format!("{letter}{number}")`, in a fifth of the time: each communicator that a program makes has such a name.
fn numbered(letter: char, number: Id) -> String {
    let mut name = String::with_capacity(letter.len_utf8() + 10);
    name.push(letter);
    name.push_str(&number.to_string());
    name
}

/// One integer as its kind prints it.
pub fn format_int(kind: Kind, value: i64, names: &dyn Names) -> String {
    match (kind, value) {
        (Kind::Rank, v) if v == i64::from(special::ANY_SOURCE) => "MPI_ANY_SOURCE".into(),
        (Kind::Rank | Kind::Root, v) if v == i64::from(special::PROC_NULL) => "MPI_PROC_NULL".into(),
        (Kind::Root, v) if v == i64::from(special::ROOT) => "MPI_ROOT".into(),
        (Kind::Tag, v) if v == i64::from(special::ANY_TAG) => "MPI_ANY_TAG".into(),
        (Kind::Color | Kind::Index | Kind::Int | Kind::Rank | Kind::Count, v) if v == i64::from(special::UNDEFINED) => {
            "MPI_UNDEFINED".into()
        }
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf, special::IN_PLACE) => "MPI_IN_PLACE".into(),
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf | Kind::Pointer | Kind::Callback | Kind::Opaque, 0) => "NULL".into(),
        (Kind::Request, 0) => "MPI_REQUEST_NULL".into(),
        (Kind::Message, 0) => "MPI_MESSAGE_NULL".into(),
        (Kind::Message, special::MESSAGE_NO_PROC) => "MPI_MESSAGE_NO_PROC".into(),
        (
            Kind::SendBuf
            | Kind::RecvBuf
            | Kind::Buf
            | Kind::Pointer
            | Kind::Callback
            | Kind::Opaque
            | Kind::Request
            | Kind::Message
            | Kind::Stream
            | Kind::StrArray
            | Kind::StrArrays
            | Kind::FStatus
            | Kind::F08Status,
            v,
        ) => format!("{v:#x}"),
        (kind, v) if kind.is_handle() => handle_name(kind, v as u32, names),
        (_, v) => v.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports and `mpivet print` name objects so, and users filter by these names.
    #[test]
    fn objects_of_the_program_have_a_letter_and_a_number() {
        let kinds = [
            (Kind::Comm, "c7"),
            (Kind::Group, "g7"),
            (Kind::Datatype, "t7"),
            (Kind::Op, "o7"),
            (Kind::Win, "w7"),
            (Kind::File, "f7"),
            (Kind::Info, "i7"),
            (Kind::Errhandler, "e7"),
            (Kind::Session, "s7"),
        ];
        for (kind, name) in kinds {
            assert_eq!(handle_name(kind, FIRST_USER_ID + 7, &NoNames), name);
        }
    }
}
