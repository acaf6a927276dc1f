//! The deadlock replay and listeners, which know no model, are told what happens in it.

mod epochs;
mod listeners;
mod needs;
mod replay;
mod volume;
