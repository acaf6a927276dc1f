//! Functions that the scenario does not call, each with its reason.

use super::Binding;

/// Where a function is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Everywhere,
    Fortran,
    F08,
}

impl Scope {
    pub fn includes(self, binding: Binding) -> bool {
        match self {
            Scope::Everywhere => true,
            Scope::Fortran => binding.is_fortran(),
            Scope::F08 => binding == Binding::UseMpiF08,
        }
    }
}

/// Function, where it is not called, why.
pub const EXCLUSIONS: &[(&str, Scope, &str)] = &[];
