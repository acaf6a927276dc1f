//! Names of functions as people write them: symbol tables have those of linkers.

use std::borrow::Cow;

/// The name in the source of a function with this symbol; the symbol itself if no known compiler makes such symbols.
pub(super) fn readable(symbol: &str) -> String {
    fortran(symbol).unwrap_or_else(|| addr2line::demangle_auto(Cow::Borrowed(symbol), None).into_owned())
}

/// `module::procedure` of a module's procedure: GNU writes `__module_MOD_procedure`,
/// Intel `module_mp_procedure_`, LLVM `_QMmodulePprocedure`.
fn fortran(symbol: &str) -> Option<String> {
    let gnu = || symbol.strip_prefix("__")?.split_once("_MOD_");
    let intel = || symbol.strip_suffix('_')?.split_once("_mp_");
    let llvm = || symbol.strip_prefix("_QM")?.split_once('P');
    let (module, procedure) = gnu().or_else(intel).or_else(llvm)?;
    // Compilers write both names in lower case, whatever the source says.
    let is_name = |name: &str| {
        let usual = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        name.bytes().next().is_some_and(|b| b.is_ascii_lowercase()) && name.bytes().all(usual)
    };
    // Procedures inside a procedure, and parts that the compiler has split off, have a suffix.
    let (name, suffix) = procedure.split_at(procedure.find('.').unwrap_or(procedure.len()));
    (is_name(module) && is_name(name)).then(|| format!("{module}::{name}{suffix}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, name) in [
            ("main", "main"),
            ("solve_", "solve_"),
            ("_ZN4halo8exchangeEPdi", "halo::exchange(double*, int)"),
            ("_ZN12_GLOBAL__N_14stepEv", "(anonymous namespace)::step()"),
            ("_RNvC4demo4main", "demo::main"),
            ("__grid_types_MOD_exchange_halo", "grid_types::exchange_halo"),
            ("__grid_MOD_step.constprop.0", "grid::step.constprop.0"),
            ("grid_mp_step_", "grid::step"),
            ("_QMgridPstep", "grid::step"),
            ("_QQmain", "_QQmain"),
            ("__MOD_x", "__MOD_x"),
            ("__a_MOD_", "__a_MOD_"),
            ("_ZN", "_ZN"),
            ("My_mp_Thing_", "My_mp_Thing_"),
        ] {
            assert_eq!(readable(symbol), name);
        }
    }
}
