//! How much an agent sends: a network that jobs use, and one host that reads what all agents send, have their limits.

use std::time::{Duration, Instant};

/// Bytes that may be sent in some time.
pub(super) struct Budget {
    per_second: u64,
    /// Bytes of which it is not too early now; less than none if more were sent.
    left: f64,
    at: Instant,
}

/// Bytes for so long can be saved.
const SAVED: Duration = Duration::from_secs(1);

impl Budget {
    pub(super) fn new(per_second: u64) -> Budget {
        Budget { per_second, left: per_second as f64, at: Instant::now() }
    }

    pub(super) fn spend(&mut self, bytes: u64) {
        self.left -= bytes as f64;
    }

    /// May more be sent now?
    pub(super) fn has_room(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        let most = SAVED.as_secs_f64() * self.per_second as f64;
        (self.left, self.at) = ((self.left + passed * self.per_second as f64).min(most), now);
        self.left > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_sent_than_may_be() {
        let start = Instant::now();
        let mut budget = Budget { per_second: 1000, left: 0.0, at: start };
        let mut sent = 0;
        for ms in 0..10_000 {
            let now = start + Duration::from_millis(ms);
            while budget.has_room(now) {
                budget.spend(64);
                sent += 64;
            }
        }
        assert!((9_900..=10_100).contains(&sent), "{sent}");
        // After a pause no more than was saved.
        let now = start + Duration::from_secs(100);
        let mut burst = 0;
        while budget.has_room(now) {
            budget.spend(64);
            burst += 64;
        }
        assert!((1000..=1100).contains(&burst), "{burst}");
    }
}
