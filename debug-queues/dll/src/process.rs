//! A process that the debugger looks at: its communicators as they were listed last, and where the iterators are.

use crate::communicators::{self, Comm};
use crate::debugger::Attachment;
use crate::failure::Failure;
use crate::operations::{self, Names, Op};
use crate::table::Tables;
use crate::target::Target;
use crate::{debugger, image};
use mqs::codes::op_class;
use mqs::{Address, BasicCallbacks, PendingOperation, Process, ProcessCallbacks};
use std::ffi::{CStr, c_int};

/// Our data of a process.
#[derive(Debug)]
pub(crate) struct Info {
    target: Target,
    /// The address of its table, once it was searched.
    table: Option<Address>,
    communicators: Vec<Comm>,
    /// The communicator that the iterator is at.
    at: usize,
    /// The operations that the other iterator has still to give, the last one first.
    operations: Vec<Op>,
    /// The tables that hold the operations.
    tables: Option<Tables>,
    names: Names,
}

impl Info {
    pub(crate) fn new(process: *mut Process, callbacks: ProcessCallbacks) -> Info {
        let target = Target { process, callbacks };
        let (operations, names) = (Vec::new(), Names::default());
        Info { target, table: None, communicators: Vec::new(), at: 0, operations, tables: None, names }
    }

    /// The tables as they are now.
    fn tables(&mut self) -> Result<Tables, Failure> {
        let at = match self.table {
            Some(at) => at,
            None => {
                let get_image = self.target.callbacks.get_image.ok_or(Failure::NoCallbacks)?;
                // SAFETY: the debugger's function and process (5.8.3).
                let image = unsafe { get_image(self.target.process) };
                let target = &self.target;
                let at = debugger::with(image, |info: &mut image::Info| {
                    target.check_types(&info.callbacks)?;
                    info.table(image)
                })?;
                *self.table.insert(at)
            }
        };
        Tables::read(&self.target, at)
    }

    /// Are there queues? The text says why not, or which part is missing.
    pub(crate) fn has_queues(&mut self) -> Result<Option<&'static CStr>, (Failure, &'static CStr)> {
        use queue_table::state;
        let tables = self.tables().map_err(|failure| (failure, crate::failure::text(failure.code())))?;
        let no = |why| Err((Failure::NoInformation, why));
        match tables.state {
            state::ALL => Ok(None),
            state::BLOCKING => Ok(Some(
                c"only the blocking call of each thread is known: MPIVET_QUEUES=on keeps operations with requests, too",
            )),
            state::NOT_BEGUN => no(c"the process has not called MPI_Init, or mpivet does not record it"),
            state::OFF => no(c"mpivet keeps no message queues: MPIVET_QUEUES is off"),
            state::LOST => no(c"mpivet has stopped recording in this process"),
            _ => Err((Failure::Damaged, crate::failure::text(Failure::Damaged.code()))),
        }
    }

    pub(crate) fn update(&mut self) -> Result<(), Failure> {
        let tables = self.tables()?;
        self.communicators = communicators::read(&self.target, &tables)?;
        // Datatypes may have got names.
        self.names = Names::default();
        self.operations.clear();
        self.at = 0;
        Ok(())
    }

    pub(crate) fn first_communicator(&mut self) -> Result<(), Failure> {
        // A debugger may not have asked for the list.
        if self.communicators.is_empty() {
            self.update()?;
        }
        self.at = 0;
        self.communicator().map(|_| ())
    }

    pub(crate) fn next_communicator(&mut self) -> Result<(), Failure> {
        self.at = self.at.saturating_add(1).min(self.communicators.len());
        self.operations.clear();
        self.communicator().map(|_| ())
    }

    pub(crate) fn communicator(&self) -> Result<&Comm, Failure> {
        self.communicators.get(self.at).ok_or(Failure::EndOfList)
    }

    /// Prepares to give the operations of a class on the communicator that the iterator is at.
    pub(crate) fn list_operations(&mut self, class: c_int) -> Result<(), Failure> {
        self.operations.clear();
        let sends = match class {
            op_class::PENDING_SENDS => true,
            op_class::PENDING_RECEIVES => false,
            // Only the MPI library knows which messages have arrived, and it has no way to tell.
            op_class::UNEXPECTED_MESSAGES => return Err(Failure::NoInformation),
            _ => return Err(Failure::UnknownClass),
        };
        let tables = self.tables()?;
        self.operations = operations::read(&self.target, &tables, self.communicator()?, sends)?;
        self.operations.reverse();
        self.tables = Some(tables);
        Ok(())
    }

    pub(crate) fn next_operation(&mut self) -> Result<PendingOperation, Failure> {
        let op = self.operations.pop().ok_or(Failure::EndOfList)?;
        let comm = self.communicators.get(self.at).ok_or(Failure::EndOfList)?;
        let tables = self.tables.as_ref().ok_or(Failure::EndOfList)?;
        Ok(op.described(comm, &mut self.names, &self.target, tables))
    }
}

impl Attachment for Info {
    type Owner = Process;

    fn put(callbacks: &BasicCallbacks, process: *mut Process, info: *mut Self) -> Result<(), Failure> {
        let put = callbacks.put_process_info.ok_or(Failure::NoCallbacks)?;
        // SAFETY: the debugger's function and process (5.8.1).
        unsafe { put(process, info.cast()) };
        Ok(())
    }

    fn get(callbacks: &BasicCallbacks, process: *mut Process) -> Result<*mut Self, Failure> {
        let get = callbacks.get_process_info.ok_or(Failure::NoCallbacks)?;
        // SAFETY: the debugger's function and process (5.8.1).
        Ok(unsafe { get(process) }.cast())
    }
}
