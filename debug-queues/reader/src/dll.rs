//! A debugger DLL, loaded, with its functions as safe ones.

use crate::error::{Error, Result};
use crate::host;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use mqs::{Communicator, PendingOperation, codes, entry, names};
use std::ffi::{CStr, c_char, c_int};
use std::path::{Path, PathBuf};

/// Communicators that are larger are damaged memory.
const LARGEST: i64 = 1 << 26;

/// The result of the debugger's functions; they return data through pointers.
type Code = c_int;

/// The functions point into `_library`.
pub struct Dll {
    path: PathBuf,
    setup_basic_callbacks: entry::SetupBasicCallbacks,
    version_string: entry::VersionString,
    version_compatibility: entry::Number,
    taddr_width: entry::Number,
    error_string: entry::DllErrorString,
    setup_image: entry::SetupImage,
    image_has_queues: entry::ImageHasQueues,
    setup_process: entry::SetupProcess,
    process_has_queues: entry::ProcessHasQueues,
    update_communicator_list: entry::OfProcess,
    setup_communicator_iterator: entry::OfProcess,
    get_communicator: entry::GetCommunicator,
    /// MPICH's DLL has none.
    get_comm_group: Option<entry::GetCommGroup>,
    next_communicator: entry::OfProcess,
    setup_operation_iterator: entry::SetupOperationIterator,
    next_operation: entry::NextOperation,
    _library: Library,
}

impl Dll {
    pub fn load(path: &Path) -> Result<Dll> {
        let unusable = |why: String| Error::Dll { path: path.to_owned(), why };
        // SAFETY: its constructors run in this process, which exists for nothing else.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| unusable(e.to_string()))?;
        macro_rules! function {
            ($name:ident) => {
                // SAFETY: a function of this name has the type that the document gives it.
                *unsafe { library.get(names::$name) }
                    .map_err(|e| unusable(format!("{e}: {}", names::$name.to_string_lossy())))?
            };
        }
        // SAFETY: as of the others.
        let get_comm_group = unsafe { library.get(names::GET_COMM_GROUP) }.ok().map(|f| *f);
        Ok(Dll {
            path: path.to_owned(),
            setup_basic_callbacks: function!(SETUP_BASIC_CALLBACKS),
            version_string: function!(VERSION_STRING),
            version_compatibility: function!(VERSION_COMPATIBILITY),
            taddr_width: function!(DLL_TADDR_WIDTH),
            error_string: function!(DLL_ERROR_STRING),
            setup_image: function!(SETUP_IMAGE),
            image_has_queues: function!(IMAGE_HAS_QUEUES),
            setup_process: function!(SETUP_PROCESS),
            process_has_queues: function!(PROCESS_HAS_QUEUES),
            update_communicator_list: function!(UPDATE_COMMUNICATOR_LIST),
            setup_communicator_iterator: function!(SETUP_COMMUNICATOR_ITERATOR),
            get_communicator: function!(GET_COMMUNICATOR),
            get_comm_group,
            next_communicator: function!(NEXT_COMMUNICATOR),
            setup_operation_iterator: function!(SETUP_OPERATION_ITERATOR),
            next_operation: function!(NEXT_OPERATION),
            _library: library,
        })
    }

    pub fn error(&self, why: impl Into<String>) -> Error {
        Error::Dll { path: self.path.clone(), why: why.into() }
    }

    /// The DLL's version. A DLL of another interface is refused, so this is asked first.
    pub fn version(&self) -> Result<String> {
        // SAFETY: no conditions; a text that lives as long as the DLL, or null.
        let version = unsafe { own_text((self.version_string)()) }.unwrap_or_default();
        // SAFETY: no conditions.
        let (compatibility, width) = unsafe { ((self.version_compatibility)(), (self.taddr_width)()) };
        if compatibility != codes::INTERFACE_COMPATIBILITY {
            let ours = codes::INTERFACE_COMPATIBILITY;
            return Err(self.error(format!("it has version {compatibility} of the interface, mpivet version {ours}")));
        }
        if width != 8 {
            return Err(self.error(format!("its addresses have {width} bytes")));
        }
        Ok(version.trim().to_owned())
    }

    /// The meaning of a code of the DLL.
    fn meaning(&self, code: Code) -> String {
        // SAFETY: no conditions; as of `version`.
        let text = unsafe { own_text((self.error_string)(code)) };
        text.filter(|t| !t.is_empty()).map_or_else(|| format!("code {code}"), |t| format!("{t} (code {code})"))
    }

    fn check(&self, code: Code, what: &str) -> Result<()> {
        if code == codes::OK { Ok(()) } else { Err(self.error(format!("{what}: {}", self.meaning(code)))) }
    }

    /// Makes the target of [`host::install`] known to the DLL. Returns the messages of the DLL.
    pub fn set_up(&self) -> Result<Vec<String>> {
        let mut said = Vec::new();
        // SAFETY: the tables are constants.
        unsafe { (self.setup_basic_callbacks)(&host::BASIC) };
        // SAFETY: as before; the image is only a name, for this side.
        self.check(unsafe { (self.setup_image)(host::image(), &host::IMAGE) }, "mqs_setup_image")?;
        let mut message: *mut c_char = std::ptr::null_mut();
        // SAFETY: a place for a pointer.
        let code = unsafe { (self.image_has_queues)(host::image(), &mut message) };
        // SAFETY: a text that lives until the next call, or null.
        self.has_queues(code, unsafe { own_text(message) }, &mut said)?;
        // SAFETY: as of the image.
        self.check(unsafe { (self.setup_process)(host::process(), &host::PROCESS) }, "mqs_setup_process")?;
        let mut message: *mut c_char = std::ptr::null_mut();
        // SAFETY: a place for a pointer.
        let code = unsafe { (self.process_has_queues)(host::process(), &mut message) };
        // SAFETY: a text that lives until the next call, or null.
        self.has_queues(code, unsafe { own_text(message) }, &mut said)?;
        Ok(said)
    }

    /// MPICH's DLL gives the text of an error on success, too.
    fn has_queues(&self, code: Code, message: Option<String>, said: &mut Vec<String>) -> Result<()> {
        let message = message.map(|m| m.trim().to_owned()).filter(|m| !m.is_empty());
        if code == codes::OK {
            let is_mpich = self.path.file_name().is_some_and(|f| f.to_string_lossy().starts_with("libtvmpich"));
            said.extend(message.filter(|_| !is_mpich));
            return Ok(());
        }
        let meaning = || self.meaning(code);
        Err(self.error(format!("it finds no message queues: {}", message.unwrap_or_else(meaning))))
    }

    pub fn update_communicators(&self) -> Result<()> {
        // SAFETY: the process was set up.
        self.check(unsafe { (self.update_communicator_list)(host::process()) }, "mqs_update_communicator_list")
    }

    /// Goes to the first communicator; false if there is none.
    pub fn first_communicator(&self) -> bool {
        // SAFETY: the process was set up.
        unsafe { (self.setup_communicator_iterator)(host::process()) == codes::OK }
    }

    /// Goes to the next communicator; false if there is none.
    pub fn next_communicator(&self) -> bool {
        // SAFETY: the process was set up.
        unsafe { (self.next_communicator)(host::process()) == codes::OK }
    }

    /// The present communicator of the iterator.
    pub fn communicator(&self) -> Result<Communicator> {
        let mut communicator = Communicator::EMPTY;
        // SAFETY: a place for a communicator.
        self.check(unsafe { (self.get_communicator)(host::process(), &mut communicator) }, "mqs_get_communicator")?;
        Ok(communicator)
    }

    /// Ranks in MPI_COMM_WORLD of the members of the present communicator, whose size is `size`.
    pub fn group(&self, size: i64) -> Option<Vec<i32>> {
        let get_comm_group = self.get_comm_group?;
        let size = usize::try_from(size).ok().filter(|_| size <= LARGEST)?;
        // An entry more than needed, against a DLL that counts from one.
        let mut ranks = vec![-1; size + 1];
        // SAFETY: a place for as many ranks as the communicator has.
        let code = unsafe { get_comm_group(host::process(), ranks.as_mut_ptr()) };
        ranks.truncate(size);
        (code == codes::OK).then_some(ranks)
    }

    /// Begins with the operations of a class in the communicator; false if the DLL cannot tell them.
    pub fn begin_operations(&self, class: c_int) -> bool {
        // SAFETY: the process was set up.
        let code = unsafe { (self.setup_operation_iterator)(host::process(), class) };
        matches!(code, codes::OK | codes::END_OF_LIST)
    }

    /// The next operation.
    pub fn next_operation(&self) -> Result<Option<PendingOperation>> {
        let mut operation = PendingOperation::EMPTY;
        // SAFETY: a place for an operation.
        match unsafe { (self.next_operation)(host::process(), &mut operation) } {
            codes::OK => Ok(Some(operation)),
            codes::END_OF_LIST => Ok(None),
            code => Err(self.error(format!("mqs_next_operation: {}", self.meaning(code)))),
        }
    }
}

/// A text of the DLL's, if there is one.
///
/// # Safety
/// `text` is null, or a text that ends with a zero.
unsafe fn own_text(text: *const c_char) -> Option<String> {
    // SAFETY: by the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
