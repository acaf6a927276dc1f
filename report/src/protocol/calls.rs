//! Number and time of the calls of each function: of the whole program, and of each process. Processes that called
//! the same functions equally often share a table.

use super::page::Page;
use super::table::Table;
use crate::groups::groups;
use crate::protocol_data::processes;
use crate::statistics::{Function, Rank};

/// Processes, or groups of them, that have tables of their own; if there are more, there is one for all.
const MAX_TABLES: usize = 32;

impl Page<'_> {
    pub(super) fn calls(&mut self) {
        let Some(statistics) = &self.report.statistics else { return };
        self.heading("Calls of MPI functions");
        let mut table = Table::new(&["N", "function", "calls", "Nproc", "seconds", "seconds/call"]);
        for f in by_name(&statistics.functions) {
            let callers = statistics.ranks.iter().filter(|r| r.functions.iter().any(|of| of.id == f.id)).count();
            let (n, each) = ((table.len() + 1).to_string(), time(spent(f) / f.calls.max(1) as f64));
            let counts = [f.calls.to_string(), callers.to_string(), time(spent(f)), each];
            table.row([n, f.name().to_owned()].into_iter().chain(counts).collect());
        }
        let calls: u64 = statistics.functions.iter().map(|f| f.calls).sum();
        let seconds = time(statistics.functions.iter().map(spent).sum());
        let (calls, ranks) = (calls.to_string(), statistics.ranks.len().to_string());
        table.row(["", "all", &calls, &ranks, &seconds, ""].map(str::to_owned).to_vec());
        self.table("The whole program", &table);
        let counts = |r: &&Rank| by_name(&r.functions).iter().map(|f| (f.name(), f.calls)).collect::<Vec<_>>();
        let alike = groups(&statistics.ranks, counts);
        if alike.len() > MAX_TABLES {
            self.calls_by_function(&statistics.functions, &statistics.ranks);
            return;
        }
        for group in alike {
            self.calls_of(&group);
        }
    }

    /// One table, function by function: in each, processes with as many calls share a row.
    fn calls_by_function(&mut self, functions: &[Function], ranks: &[Rank]) {
        let mut table = Table::new(&["Proc", "function", "calls", "seconds", "shortest", "longest"]);
        for f in by_name(functions) {
            let callers = ranks.iter().filter_map(|r| Some((r, r.functions.iter().find(|of| of.id == f.id)?)));
            for group in groups(callers, |(_, of)| of.calls) {
                let processes: Vec<i32> = group.iter().map(|(r, _)| r.who.process).collect();
                let times: Vec<f64> = group.iter().map(|(_, of)| spent(of)).collect();
                let cells = [self.list(&processes), f.name().to_owned(), group[0].1.calls.to_string()];
                table.row(cells.into_iter().chain(summary(&times)).collect());
            }
        }
        self.table("Each process (of several in a row: calls of each, seconds on the average)", &table);
    }

    /// Processes with the same numbers of calls.
    fn calls_of(&mut self, group: &[&Rank]) {
        let heads = ["N", "function", "calls", "seconds", "shortest", "longest"];
        let mut table = Table::new(if group.len() == 1 { &heads[..4] } else { &heads });
        let each: Vec<Vec<&Function>> = group.iter().map(|r| by_name(&r.functions)).collect();
        for (i, first) in each[0].iter().enumerate() {
            let times: Vec<f64> = each.iter().filter_map(|functions| functions.get(i)).map(|f| spent(f)).collect();
            let cells = [(i + 1).to_string(), first.name().to_owned(), first.calls.to_string()];
            let times = summary(&times).into_iter().take(if group.len() == 1 { 1 } else { 3 });
            table.row(cells.into_iter().chain(times).collect());
        }
        let ranks: Vec<i32> = group.iter().map(|r| r.who.process).collect();
        let title = match ranks[..] {
            [one] => format!("Process {}", self.list(&[one])),
            _ => format!("Each of {} {} (seconds on the average)", processes(ranks.len()), self.list(&ranks)),
        };
        self.table(&title, &table);
    }
}

fn by_name(functions: &[Function]) -> Vec<&Function> {
    let mut functions: Vec<&Function> = functions.iter().collect();
    functions.sort_unstable_by_key(|f| f.name());
    functions
}

/// Seconds in the calls, and between polls that were repeated.
fn spent(f: &Function) -> f64 {
    f.seconds + f.polling_seconds
}

/// Their average, the smallest and the largest.
fn summary(times: &[f64]) -> [String; 3] {
    let average = times.iter().sum::<f64>() / times.len().max(1) as f64;
    [average, times.iter().copied().fold(f64::INFINITY, f64::min), times.iter().copied().fold(0.0, f64::max)].map(time)
}

fn time(seconds: f64) -> String {
    format!("{seconds:.6}")
}
