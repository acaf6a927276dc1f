//! How often which functions were called, and how long they took: by the whole program, and by each process. Processes
//! that called the same functions equally often share a table.

use super::data::{Spent, processes};
use super::page::{Page, groups};
use super::table::Table;
use std::collections::BTreeMap;

impl Page<'_> {
    pub(super) fn calls(&mut self) {
        let Some(protocol) = self.protocol else { return };
        self.heading("Calls of MPI functions");
        let mut all: BTreeMap<&str, (u64, f64, Vec<i32>)> = BTreeMap::new();
        for (process, spent) in &protocol.spent {
            for s in spent {
                let of = all.entry(s.function).or_default();
                of.0 += s.calls;
                of.1 += s.seconds;
                of.2.push(*process);
            }
        }
        let mut table = Table::new(&["N", "function", "calls", "Nproc", "seconds", "seconds/call"]);
        for (function, (calls, seconds, processes)) in &all {
            let n = (table.len() + 1).to_string();
            let (calls, each) = (calls.to_string(), time(seconds / (*calls).max(1) as f64));
            table.row(vec![n, (*function).to_owned(), calls, processes.len().to_string(), time(*seconds), each]);
        }
        let (calls, seconds) = all.values().fold((0, 0.0), |(c, s), of| (c + of.0, s + of.1));
        let cells = ["", "all", &calls.to_string(), &protocol.spent.len().to_string(), &time(seconds), ""];
        table.row(cells.map(str::to_owned).to_vec());
        self.table("The whole program", &table);
        let by_counts =
            |(_, spent): &(&i32, &Vec<Spent>)| spent.iter().map(|s| (s.function, s.calls)).collect::<Vec<_>>();
        for group in groups(&protocol.spent, by_counts) {
            self.calls_of(&group);
        }
    }

    /// Processes with the same numbers of calls.
    fn calls_of(&mut self, group: &[(&i32, &Vec<Spent>)]) {
        let heads = ["N", "function", "calls", "seconds", "shortest", "longest"];
        let mut table = Table::new(if group.len() == 1 { &heads[..4] } else { &heads });
        for (i, first) in group[0].1.iter().enumerate() {
            let times = group.iter().filter_map(|(_, spent)| spent.get(i)).map(|s| s.seconds);
            let mut cells = vec![(i + 1).to_string(), first.function.to_owned(), first.calls.to_string()];
            cells.push(time(times.clone().sum::<f64>() / group.len() as f64));
            if group.len() > 1 {
                cells.push(time(times.clone().fold(f64::INFINITY, f64::min)));
                cells.push(time(times.fold(0.0, f64::max)));
            }
            table.row(cells);
        }
        let ranks: Vec<i32> = group.iter().map(|(rank, _)| **rank).collect();
        let title = match ranks[..] {
            [one] => format!("Process {}", self.list(&[one])),
            _ => format!("Each of {} {} (seconds on the average)", processes(ranks.len()), self.list(&ranks)),
        };
        self.table(&title, &table);
    }
}

fn time(seconds: f64) -> String {
    format!("{seconds:.6}")
}
