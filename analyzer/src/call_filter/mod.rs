//! The calls that `mpivet print` shows. A call must fit all filters.

mod objects;

pub(crate) use objects::Objects;
use std::collections::BTreeSet;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::{Dir, FnId, Kind, special};
use trace_format::settings::suggestions::did_you_mean;
use trace_format::variables::fits;
use trace_reader::call::{Call, Value};
use trace_reader::text::{format_arguments, format_results};

/// The filters of a user.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) functions: Option<BTreeSet<FnId>>,
    /// First and last event of a thread.
    pub(crate) from: Option<u64>,
    pub(crate) to: Option<u64>,
    /// Seconds since the start of the rank.
    pub(crate) since: Option<f64>,
    pub(crate) until: Option<f64>,
    pub(crate) threads: Vec<u16>,
    /// Communicators as they are printed, with `*` for anything, or by the number in `c3`.
    pub(crate) comms: Vec<String>,
    /// Ranks in MPI_COMM_WORLD.
    pub(crate) peers: Vec<i32>,
    /// Parameters by name, and their values as they are printed, with `*` for anything.
    pub(crate) params: Vec<(String, String)>,
}

impl Filter {
    /// Are some calls not shown?
    pub(crate) fn is_on(&self) -> bool {
        self.functions.is_some()
            || self.from.is_some()
            || self.to.is_some()
            || self.since.is_some()
            || self.until.is_some()
            || !self.threads.is_empty()
            || !self.comms.is_empty()
            || !self.peers.is_empty()
            || !self.params.is_empty()
    }

    /// Is the call shown, or one of its two events? `seconds`: the times of the call and of its return, if it returned.
    pub(crate) fn wants(&self, call: &Call, seconds: (f64, Option<f64>), objects: &Objects) -> bool {
        let returned = if call.is_open() { u64::MAX } else { call.return_event() };
        let in_range = self.from.is_none_or(|f| returned >= f) && self.to.is_none_or(|t| call.call_event() <= t);
        in_range
            && self.since.is_none_or(|s| seconds.1.is_none_or(|end| end >= s))
            && self.until.is_none_or(|u| seconds.0 <= u)
            && self.functions.as_ref().is_none_or(|f| f.contains(&call.func))
            && (self.threads.is_empty() || self.threads.contains(&call.thread))
            && (self.comms.is_empty() || self.is_on_comm(call, objects))
            && (self.peers.is_empty() || peers(call, objects).iter().any(|p| self.peers.contains(p)))
            && self.params.iter().all(|(name, value)| has(call, name, value, objects))
    }

    /// Does the event alone fit?
    pub(crate) fn wants_event(&self, event: u64, seconds: f64) -> bool {
        self.from.is_none_or(|f| event >= f) && self.to.is_none_or(|t| event <= t) && self.wants_time(seconds)
    }

    pub(crate) fn wants_time(&self, seconds: f64) -> bool {
        self.since.is_none_or(|s| seconds >= s) && self.until.is_none_or(|u| seconds <= u)
    }

    fn is_on_comm(&self, call: &Call, objects: &Objects) -> bool {
        comms(call, objects).into_iter().any(|id| self.comms.iter().any(|wanted| is_comm(wanted, id, objects)))
    }
}

/// Is the communicator meant by this word?
pub(crate) fn is_comm(wanted: &str, id: Id, objects: &Objects) -> bool {
    let number = wanted.strip_prefix('c').unwrap_or(wanted).parse::<Id>();
    number.is_ok_and(|n| n.checked_add(FIRST_USER_ID) == Some(id)) || fits(wanted, &objects.comm_name(id))
}

/// The communicators that a call names or makes; those of windows and files, too.
pub(crate) fn comms(call: &Call, objects: &Objects) -> Vec<Id> {
    let ids = call.func.row().params.iter().enumerate().flat_map(|(i, p)| {
        let values = [call.ins.get(i), call.outs.get(i)];
        values.into_iter().flatten().filter_map(move |v| match v {
            Value::Int(id) => objects.comm_of(p.kind, *id as Id),
            _ => None,
        })
    });
    ids.collect()
}

/// The processes that a call names as source, destination, target or root, and those that its status names.
fn peers(call: &Call, objects: &Objects) -> Vec<i32> {
    let params = call.func.row().params;
    let of_inputs = params.iter().zip(&call.ins).filter(|(p, _)| p.dir != Dir::Out);
    let comm = of_inputs.clone().find_map(|(p, v)| objects.comm_of(p.kind, v.int() as Id));
    let Some(comm) = comm else { return Vec::new() };
    let named = of_inputs.filter(|(p, _)| matches!(p.kind, Kind::Rank | Kind::Root)).map(|(_, v)| match v {
        Value::Int(rank) => *rank,
        _ => i64::from(special::PROC_NULL),
    });
    let told = call.outs.iter().filter_map(|v| match v {
        Value::Status(status) => Some(i64::from(status.source)),
        _ => None,
    });
    named.chain(told).filter_map(|rank| objects.process(comm, rank)).collect()
}

/// Has the call this value of a parameter, as the program passed it or as the library returned it?
fn has(call: &Call, name: &str, value: &str, objects: &Objects) -> bool {
    let all = format_arguments(call, &objects.names).into_iter().chain(format_results(call, &objects.names));
    all.into_iter().any(|(n, v)| n.eq_ignore_ascii_case(name) && fits(value, &v))
}

/// The functions that a user means by `MPI_Send`, `send` or `MPI_I*,wait*`.
pub(crate) fn functions(words: &str) -> Result<BTreeSet<FnId>, String> {
    let mut all = BTreeSet::new();
    for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        let full = if word.to_ascii_lowercase().starts_with("mpi") { word.to_owned() } else { format!("MPI_{word}") };
        let rows = trace_format::mpi::FUNCTIONS;
        let fitting: Vec<FnId> = rows.iter().filter(|f| fits(&full, f.name)).map(|f| f.id).collect();
        if fitting.is_empty() && word.contains('*') {
            return Err(format!("no MPI function fits `{word}`"));
        }
        if fitting.is_empty() {
            let near = did_you_mean(&full, rows.iter().map(|f| f.name)).map(|near| format!("; {near}"));
            return Err(format!("`{word}` is no MPI function{}", near.unwrap_or_default()));
        }
        all.extend(fitting);
    }
    if all.is_empty() { Err("name a function, for example MPI_Send".to_owned()) } else { Ok(all) }
}

/// `tag=999`
pub(crate) fn param(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, for example tag=999")?;
    let name = name.trim();
    let known: BTreeSet<&str> =
        trace_format::mpi::FUNCTIONS.iter().flat_map(|f| f.params.iter().map(|p| p.name)).collect();
    if !known.iter().any(|k| k.eq_ignore_ascii_case(name)) {
        let near = did_you_mean(name, known.into_iter()).map(|near| format!("; {near}")).unwrap_or_default();
        return Err(format!("no MPI function has a parameter `{name}`{near}"));
    }
    Ok((name.to_owned(), value.trim().to_owned()))
}

/// Seconds of `--since` and `--until`.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>();
    number
        .ok()
        .filter(|s| s.is_finite() && *s >= 0.0)
        .ok_or_else(|| format!("`{text}` is no number of seconds, such as 1.5"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_chosen_by_names_and_patterns() {
        let names = |words: &str| functions(words).map(|f| f.into_iter().map(FnId::name).collect::<Vec<_>>());
        assert_eq!(names("send"), Ok(vec!["MPI_Send"]));
        assert_eq!(
            names("MPI_Wait,mpi_recv").map(|mut n| {
                n.sort_unstable();
                n
            }),
            Ok(vec!["MPI_Recv", "MPI_Wait"])
        );
        let waits = names("wait*").unwrap();
        assert!(waits.contains(&"MPI_Waitall") && waits.iter().all(|n| n.starts_with("MPI_Wait")), "{waits:?}");
        let error = names("MPI_Sent").unwrap_err();
        assert!(error.starts_with("`MPI_Sent` is no MPI function; did you mean MPI_Send or "), "{error}");
        assert_eq!(names("zz*").unwrap_err(), "no MPI function fits `zz*`");
        assert!(names(",").is_err());
    }

    #[test]
    fn parameters_are_chosen_by_name() {
        assert_eq!(param("Tag = 9"), Ok(("Tag".into(), "9".into())));
        assert!(param("tags=9").unwrap_err().contains("did you mean tag"), "{:?}", param("tags=9"));
        assert!(param("tag").unwrap_err().contains("NAME=VALUE"));
    }

    #[test]
    fn seconds_are_numbers() {
        assert_eq!(seconds("1.5"), Ok(1.5));
        assert_eq!(seconds("2s"), Ok(2.0));
        assert!(seconds("-1").is_err() && seconds("soon").is_err() && seconds("inf").is_err());
    }
}
