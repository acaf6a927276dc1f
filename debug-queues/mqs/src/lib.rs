//! The interface between a debugger and the message-queue DLL of an MPI library, as the MPI Forum's document on tools
//! and debugging interfaces and its common header describe it. Numbers of sections are those of that document.
//!
//! The debugger loads the DLL that the target names in `MPIR_dll_name` ([`names`]), hands it three tables of
//! functions ([`callbacks`]), and asks it for communicators and operations ([`objects`]) by the functions in
//! [`entry`].
//!
//! All of it is `repr(C)` for hosts of 64 bits. Functions in tables are options, as a debugger may leave one out.

#![forbid(unsafe_code)]

pub mod callbacks;
pub mod codes;
pub mod entry;
pub mod names;
pub mod objects;

pub use callbacks::{BasicCallbacks, ImageCallbacks, ProcessCallbacks};
pub use objects::{Communicator, PendingOperation, TargetTypeSizes};

/// `mqs_tword_t`: a word of the target (its `long`), on the host (5.2).
pub type Word = i64;

/// `mqs_taddr_t`: an address in the target, on the host (5.3).
pub type Address = u64;

/// Declares types that one side owns and the other only points to (5.5).
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug)]
        pub struct $name {
            _opaque: [u8; 0],
        }
    )*};
}

opaque! {
    /// `mqs_image`: an executable image, the debugger's.
    Image,
    /// `mqs_process`: a process, the debugger's.
    Process,
    /// `mqs_type`: a type of the target, the debugger's.
    Type,
    /// `mqs_image_info`: what the DLL keeps with an image.
    ImageInfo,
    /// `mqs_process_info`: what the DLL keeps with a process.
    ProcessInfo,
}
