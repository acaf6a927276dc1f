//! Lines about ranks that died while the job still runs.

use super::Observer;
use engine::{is_crash, signal_name};
use report::clean_line;
use report::symbols::user_frame;
use trace_format::catalogue::ABEND;

impl Observer {
    /// Findings about ranks that died of a signal of their own since the last time, in lines for people.
    pub fn deaths(&mut self) -> Vec<String> {
        let names = self.traces.worlds.names();
        let mut lines = Vec::new();
        let signals = std::mem::take(&mut self.traces.notes.signals);
        let Some(severity) = self.selection.severity(&ABEND, ABEND.severity) else { return lines };
        for (rank, signal) in signals.into_iter().filter(|(_, s)| is_crash(s.signal)) {
            let call = self.feeder.interrupted(rank, &signal);
            let inside = call.map(|(function, _)| format!(" inside of {function}")).unwrap_or_default();
            let who = names.rename(&format!("rank {rank}"));
            if self.feeder.is_ended_by_leak(rank, &signal) {
                let died = format!("died of {}{inside}", signal_name(signal.signal));
                lines.push(format!("mpivet: {who}: {died}, as it had not freed what the report will name"));
                continue;
            }
            let check = &ABEND;
            let what = format!("{}[{}] {}", severity.name(), check.code, check.name);
            lines.push(format!("mpivet: {who}: {what}: died of {}{inside}", signal_name(signal.signal)));
            let symbols = &mut self.traces.symbols;
            let pc = if signal.caller == 0 { signal.pc } else { signal.caller - 1 };
            let frames = symbols.frames(rank, call.map_or(0, |c| c.1), pc);
            let Some(place) = user_frame(&frames).and_then(|at| frames.get(at)) else { continue };
            lines.push(format!("mpivet: {who}:   at {}", clean_line(&place.to_string())));
            if let Some(text) = symbols.source(rank, &place.file, place.line) {
                lines.push(format!("mpivet: {who}:   | {}", clean_line(text.trim())));
            }
        }
        lines
    }
}
