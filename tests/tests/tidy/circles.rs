//! Modules of a crate know each other in one direction. Where they do not yet, the list names the modules in a circle.
//!
//! [`in_circles`] is for any crate: to hold another one, add its root file to the list.

use crate::only;
use anyhow::{Context as _, Result, ensure};
use mpivet_tests::modules::Modules;
use mpivet_tests::root;

#[test]
fn modules_know_each_other_in_one_direction() -> Result<()> {
    let circles = [
        in_circles("engine/src/lib.rs", &[]),
        in_circles("report/src/lib.rs", &[]),
        in_circles("analyzer/src/lib.rs", &[]),
        in_circles("analyzer/src/main.rs", &[]),
        in_circles("schedules/src/lib.rs", &[]),
        in_circles("rma/src/lib.rs", &[]),
        in_circles("typemap/src/lib.rs", &[]),
        in_circles("trace-format/src/lib.rs", &[]),
        in_circles("trace-reader/src/lib.rs", &[]),
        in_circles("symbols/src/lib.rs", &[]),
        in_circles("recorder/src/lib.rs", &[]),
        in_circles("interposer/src/lib.rs", &[]),
        in_circles("debug-queues/table/src/lib.rs", &[]),
        in_circles("debug-queues/mqs/src/lib.rs", &[]),
        in_circles("debug-queues/dll/src/lib.rs", &[]),
        in_circles("debug-queues/reader/src/lib.rs", &[]),
    ];
    let wrong: Vec<String> = circles.into_iter().filter_map(Result::err).map(|e| format!("{e:#}")).collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// No modules of the crate with this root file but these know each other, be it by way of others.
fn in_circles(root_file: &str, allowed: &[&str]) -> Result<()> {
    let modules = Modules::of(&root().join(root_file))?;
    let circles = modules.circles();
    let found = circles.iter().flatten().cloned().collect();
    let arrows: Vec<String> = circles.iter().flat_map(|circle| modules.arrows_among(circle)).collect();
    only(found, allowed).with_context(|| format!("{root_file}: modules in a circle\n{}", arrows.join("\n")))
}
