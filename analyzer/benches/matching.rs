//! The analysis of a run that is over, event by event: `cargo bench -p mpivet --bench matching`.
//!
//! The traces are in the page cache. An event is a call, or its return.

use analyzer::observe::{Ending, Observer};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use trace_format::settings::selection::Selection;
use trace_reader::synthetic::Stencil;

fn main() {
    divan::main();
}

/// `checks`: as `MPIVET_CHECKS` has them. The whole way from the files to what is found, of four ranks that exchange halos.
fn analyze(bencher: Bencher, checks: &str) {
    let run = Stencil { ranks: 4, reduce_every: 10, ..Stencil::default() }.with_events(400_000);
    let dir = tempfile::tempdir().expect("a directory");
    run.write(dir.path(), 2).expect("traces");
    let mut selection = Selection::default();
    selection.choose(checks).expect("names of checks");
    bencher.counter(ItemsCount::new(run.events())).bench_local(|| {
        let observer = Observer::read(dir.path(), selection.clone(), |_| true).expect("traces");
        let report = observer.report(Ending::Any).expect("a report");
        assert!(report.is_clean());
        black_box(report)
    });
}

#[divan::bench]
fn matching_alone(bencher: Bencher) {
    analyze(bencher, "-*");
}

#[divan::bench]
fn everything(bencher: Bencher) {
    analyze(bencher, "");
}
