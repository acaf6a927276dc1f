//! The length of a tick, on whatever clock this machine has. One test: a process has one clock.

use recorder::clock::{Reading, choose, now, now_and_unix_ns, ticks_per_second_so_far, ticks_to_ns, unix_ns};
use std::time::{Duration, Instant};

#[test]
fn ticks_are_as_long_as_is_said() {
    // Before a clock is chosen times are nanoseconds.
    let before = now();
    std::thread::sleep(Duration::from_millis(20));
    assert!((20_000_000..10_000_000_000).contains(&(now() - before)));
    choose();
    let rate = Reading::take().ticks_per_second();
    assert!((10_000_000..20_000_000_000).contains(&rate), "{rate}");
    assert_eq!(ticks_per_second_so_far(), None, "the run was too short to say more");
    // Other work may get the processor between two readings, so that only the best of several is compared.
    let off = (0..20).map(|_| {
        let (start, ticks) = (Instant::now(), now());
        std::thread::sleep(Duration::from_millis(5));
        let (took, ticks) = (start.elapsed().as_nanos() as f64, now() - ticks);
        (ticks_to_ns(ticks) as f64 / took - 1.0).abs()
    });
    let off = off.min_by(f64::total_cmp).unwrap();
    assert!(off < 0.02, "{off}");
    let (ticks, unix) = now_and_unix_ns();
    let (later_ticks, later_unix) = (now(), unix_ns());
    assert!(later_ticks >= ticks && later_unix >= unix);
    let ticks: Vec<_> = (0..1000).map(|_| now()).collect();
    assert!(ticks.is_sorted());
    // The whole run says more once it has taken a second.
    std::thread::sleep(Duration::from_millis(1050));
    if let Some(all) = ticks_per_second_so_far() {
        let off = all as f64 / rate as f64 - 1.0;
        assert!(off.abs() < 0.02, "{rate} at first, {all} in all");
    }
}
