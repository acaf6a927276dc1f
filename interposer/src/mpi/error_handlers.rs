//! The owners of error handlers, and which of these end the program.

use trace_format::mpi::{FnId, Kind};

/// An object with an error handler (MPI 4.1, 9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Comm,
    Win,
    File,
    Session,
}

impl Owner {
    pub(crate) const ALL: [Owner; 4] = [Owner::Comm, Owner::Win, Owner::File, Owner::Session];

    pub(crate) fn kind(self) -> Kind {
        match self {
            Owner::Comm => Kind::Comm,
            Owner::Win => Kind::Win,
            Owner::File => Kind::File,
            Owner::Session => Kind::Session,
        }
    }

    pub(crate) fn of(kind: Kind) -> Option<Owner> {
        Owner::ALL.into_iter().find(|owner| owner.kind() == kind)
    }

    pub(crate) fn create(self) -> FnId {
        match self {
            Owner::Comm => FnId::MPI_Comm_create_errhandler,
            Owner::Win => FnId::MPI_Win_create_errhandler,
            Owner::File => FnId::MPI_File_create_errhandler,
            Owner::Session => FnId::MPI_Session_create_errhandler,
        }
    }

    pub(crate) fn get(self) -> FnId {
        match self {
            Owner::Comm => FnId::MPI_Comm_get_errhandler,
            Owner::Win => FnId::MPI_Win_get_errhandler,
            Owner::File => FnId::MPI_File_get_errhandler,
            Owner::Session => FnId::MPI_Session_get_errhandler,
        }
    }

    pub(crate) fn set(self) -> FnId {
        match self {
            Owner::Comm => FnId::MPI_Comm_set_errhandler,
            Owner::Win => FnId::MPI_Win_set_errhandler,
            Owner::File => FnId::MPI_File_set_errhandler,
            Owner::Session => FnId::MPI_Session_set_errhandler,
        }
    }

    pub(crate) fn call(self) -> FnId {
        match self {
            Owner::Comm => FnId::MPI_Comm_call_errhandler,
            Owner::Win => FnId::MPI_Win_call_errhandler,
            Owner::File => FnId::MPI_File_call_errhandler,
            Owner::Session => FnId::MPI_Session_call_errhandler,
        }
    }
}

/// The library's handlers that end the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// MPI_ERRORS_ARE_FATAL
    Fatal,
    /// MPI_ERRORS_ABORT (since MPI 4)
    Abort,
}

impl Means {
    pub(crate) const ALL: [Means; 2] = [Means::Fatal, Means::Abort];
}
