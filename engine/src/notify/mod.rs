//! Notifies the deadlock replay and the listeners, neither of which knows the model, of what happens in it.

mod answers;
mod epochs;
mod listeners;
mod needs;
mod replay;
mod volume;
