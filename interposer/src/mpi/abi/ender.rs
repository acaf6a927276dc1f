//! Functions of libraries that do what MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT do, with a message that names the function that
//! failed.

use super::{Abi, Loaded};
use std::ffi::{CString, c_char, c_void};
use trace_format::mpi::Kind;

#[derive(Clone, Copy)]
pub(super) enum Form {
    /// `void (HANDLE *, int *code, ...)`, which takes the function's name behind them and ends with NULL: one for objects of
    /// each kind. Its symbol is the name of the handler and what `of` says of the kind.
    Handler { fatal: &'static str, abort: &'static str, of: Kinds },
    /// `int (COMM *, const char *function, int code)`, which takes the handler of MPI_COMM_SELF where there is no
    /// communicator. The function's name has `prefix` in the place of `MPI_`.
    Return { symbol: &'static str, prefix: &'static str },
}

#[derive(Clone, Copy)]
pub(super) struct Kinds {
    pub(super) comm: &'static str,
    pub(super) win: &'static str,
    pub(super) file: &'static str,
    pub(super) session: &'static str,
}

/// Such a function of the library at hand.
pub(crate) struct Ender {
    form: Form,
    address: *mut c_void,
}

impl Abi {
    /// The function for objects of a kind. `aborts`: it does what MPI_ERRORS_ABORT does.
    pub(crate) fn ender(&self, library: &Loaded, kind: Kind, aborts: bool) -> Option<Ender> {
        self.enders.iter().find_map(|form| {
            let address = (library.symbol)(&form.symbol(kind, aborts))?;
            Some(Ender { form: *form, address })
        })
    }
}

impl Form {
    fn symbol(&self, kind: Kind, aborts: bool) -> String {
        match self {
            Form::Return { symbol, .. } => (*symbol).to_owned(),
            Form::Handler { fatal, abort, of } => {
                let object = match kind {
                    Kind::Win => of.win,
                    Kind::File => of.file,
                    Kind::Session => of.session,
                    _ => of.comm,
                };
                format!("{}{object}", if aborts { abort } else { fatal })
            }
        }
    }
}

impl Ender {
    /// Ends the program for an error of this function. MPI_COMM_SELF has a handler that does, by now.
    ///
    /// # Safety
    /// The handle is that of an object of the kind that the ender is for.
    pub(crate) unsafe fn end(&self, function: &str, mut handle: u64, mut code: i32) {
        match self.form {
            Form::Handler { .. } => {
                let name = CString::new(function).unwrap_or_default();
                // SAFETY: a function of the type that its form says, and an object of its kind.
                unsafe {
                    let handler: unsafe extern "C" fn(*mut u64, *mut i32, ...) = std::mem::transmute(self.address);
                    handler(&mut handle, &mut code, name.as_ptr(), std::ptr::null::<c_char>());
                }
            }
            Form::Return { prefix, .. } => {
                let short = function.strip_prefix("MPI_").unwrap_or(function);
                let name = CString::new(format!("{prefix}{short}")).unwrap_or_default();
                // SAFETY: a function of the type that its form says.
                unsafe {
                    let handler: extern "C" fn(u64, *const c_char, i32) -> i32 = std::mem::transmute(self.address);
                    handler(0, name.as_ptr(), code);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::abi::{openmpi, standard};

    #[test]
    fn the_first_function_that_the_library_has_ends_the_program() {
        let found = |abi: &Abi, has: &str, aborts| {
            let symbol = |name: &str| (name == has).then_some(std::ptr::dangling_mut());
            abi.ender(&Loaded { symbol: &symbol }, Kind::Session, aborts).map(|ender| ender.form)
        };
        let abort = "ompi_mpi_errors_abort_instance_handler";
        assert!(matches!(found(&openmpi::ABI, abort, true), Some(Form::Handler { .. })));
        assert!(found(&openmpi::ABI, abort, false).is_none());
        assert!(matches!(found(&standard::ABI, "MPIR_Err_return_comm", false), Some(Form::Return { .. })));
    }
}
