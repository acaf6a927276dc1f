//! What happens in the model is told to the deadlock replay and to listeners, which know no model.

mod epochs;
mod listeners;
mod needs;
mod replay;
mod volume;
