//! Annotations of the time line: regions, samples of performance variables, signals.

use std::collections::BTreeMap;
use trace_format::annotations::Annotation;
use trace_format::definition::Id;
use trace_format::system::SystemEvent;

/// Regions, and points of curves, that are kept.
const REGIONS: usize = 20_000;
const POINTS: usize = 200_000;
const POINTS_OF_CURVE: usize = 512;

/// A region of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) rank: i32,
    pub(crate) name: String,
    pub(crate) begin: i64,
    /// `None`: it never ended.
    pub(crate) end: Option<i64>,
    /// Number of regions that contain it.
    pub(crate) depth: usize,
}

/// Readings of a variable; when they get too many, every other one is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Curve {
    pub(crate) points: Vec<(i64, f64)>,
    /// One of this many readings is kept.
    step: u64,
    seen: u64,
}

impl Curve {
    fn push(&mut self, time: i64, value: f64) {
        self.seen += 1;
        if (self.seen - 1).is_multiple_of(self.step.max(1)) {
            self.points.push((time, value));
        }
        if self.points.len() >= POINTS_OF_CURVE {
            let mut keep = false;
            self.points.retain(|_| {
                keep = !keep;
                keep
            });
            self.step = 2 * self.step.max(1);
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Annotations {
    open: BTreeMap<(i32, u16), Vec<(String, i64)>>,
    pub(crate) regions: Vec<Region>,
    pub(crate) regions_dropped: u64,
    /// By variable, rank and communicator.
    pub(crate) curves: BTreeMap<(String, i32, Option<Id>), Curve>,
    /// Rank, time, number.
    pub(crate) signals: BTreeMap<i32, (i64, i32)>,
}

impl Annotations {
    pub(crate) fn take(&mut self, (rank, thread): (i32, u16), time: i64, event: &SystemEvent) {
        match event {
            SystemEvent::Annotation { annotation: Annotation::RegionBegin { name }, .. } => {
                self.open.entry((rank, thread)).or_default().push((name.clone(), time));
            }
            SystemEvent::Annotation { annotation: Annotation::RegionEnd { name }, .. } => {
                self.end(rank, thread, name, time)
            }
            SystemEvent::Sample(sample) => {
                let key = (sample.variable.clone(), rank, sample.comm);
                if self.curves.contains_key(&key) || self.curves.len() * POINTS_OF_CURVE < POINTS {
                    self.curves.entry(key).or_default().push(time, sample.total.value());
                }
            }
            SystemEvent::Signal(signal) if signal.is_last => _ = self.signals.insert(rank, (time, signal.signal)),
            _ => {}
        }
    }

    fn end(&mut self, rank: i32, thread: u16, name: &str, time: i64) {
        let Some(open) = self.open.get_mut(&(rank, thread)) else { return };
        let Some(depth) = open.iter().rposition(|(n, _)| n == name) else { return };
        let (name, begin) = open.remove(depth);
        self.add(Region { rank, name, begin, end: Some(time), depth });
    }

    fn add(&mut self, region: Region) {
        if self.regions.len() < REGIONS {
            self.regions.push(region);
        } else {
            self.regions_dropped += 1;
        }
    }

    /// The run is over: what is open stays so.
    pub(crate) fn close(&mut self) {
        for ((rank, _), open) in std::mem::take(&mut self.open) {
            for (depth, (name, begin)) in open.into_iter().enumerate() {
                self.add(Region { rank, name, begin, end: None, depth });
            }
        }
        self.regions.sort_by(|a, b| (a.rank, a.begin, a.depth, &a.name).cmp(&(b.rank, b.begin, b.depth, &b.name)));
    }
}
