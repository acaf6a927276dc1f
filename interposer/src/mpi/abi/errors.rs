//! Errors: numbers of classes, which codes a library may be asked about, what it does with an error.

use super::Abi;
use trace_format::mpi::predefined::{ERROR_CLASSES, UNKNOWN_ERROR_CLASS};

/// Name and number of an error class.
pub(crate) type ErrorClass = (&'static str, i32);

/// The error codes whose meaning the library may be asked for.
#[derive(Clone, Copy)]
pub(crate) enum KnownCodes {
    /// Any number: what the library makes of it is an answer, and its codes are more than their classes.
    All,
    /// Error classes up to this one, MPI_ERR_LASTCODE. Of other numbers, which a callback of the program may have returned,
    /// the library makes an error of its own, for which it calls the program's error handler.
    Classes(i32),
    /// As `Classes`, but it does know the results of its own functions.
    ClassesAndResults(i32),
}

/// Where a library looks for the error handler of an object that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsetHandlers {
    /// Nowhere: each object is given one when it is made, and communicators inherit it.
    Nowhere,
    /// MPI_COMM_WORLD, at the time of the error.
    World,
    /// As `World`, but MPI_COMM_SELF first (MPI 4.1, 9.3).
    SelfThenWorld,
}

impl Abi {
    /// The number of an error class in this family.
    pub(crate) fn class_number(&self, name: &str) -> Option<i32> {
        self.error_classes.iter().find(|(class, _)| *class == name).map(|(_, number)| *number)
    }

    /// Neutral number of an error class of this family.
    pub(crate) fn error_class(&self, class: i32) -> u16 {
        if class == 0 {
            return 0;
        }
        let named = self.error_classes.iter().find(|(_, number)| *number == class);
        let place = named.and_then(|(name, _)| ERROR_CLASSES.iter().position(|neutral| neutral == name));
        place.map_or(UNKNOWN_ERROR_CLASS, |i| i as u16 + 1)
    }

    /// May the library be asked for the meaning of a code that the program has not added? `is_result`: a function of the
    /// library has returned it.
    pub(crate) fn knows_code(&self, code: i32, is_result: bool) -> bool {
        match self.known_codes {
            KnownCodes::All => true,
            KnownCodes::Classes(last) => (0..=last).contains(&code),
            KnownCodes::ClassesAndResults(last) => is_result || (0..=last).contains(&code),
        }
    }
}
