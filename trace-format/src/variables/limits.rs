//! Up to which size a library buffers messages, as its variables tell.

use super::{Control, Variables};

/// The variable that decides up to which size the library of a run buffers messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferingLimit {
    /// Name of the variable.
    pub variable: String,
    /// It is one of the environment, not of MPI_T.
    pub is_environment: bool,
    /// Its value in this run; `None`: it is not set, or not known.
    pub value: Option<String>,
    /// The largest message that is buffered, bytes.
    pub bytes: Option<u64>,
    /// Where it holds: "over shared memory".
    pub means: &'static str,
}

impl BufferingLimit {
    /// One sentence for people.
    pub fn text(&self) -> String {
        let BufferingLimit { variable, is_environment, value, bytes, means } = self;
        let what = if *is_environment { "the environment variable " } else { "" };
        let is = match (value, is_environment) {
            (Some(value), _) => format!("it is {value}"),
            (None, true) => "it is not set".to_owned(),
            (None, false) => "its value is not known".to_owned(),
        };
        let then = bytes.map(|b| format!(", so that messages of up to {b} bytes are buffered")).unwrap_or_default();
        format!("on this library {what}{variable} decides up to which size messages are buffered {means}: {is}{then}")
    }
}

pub(super) const CELL_SIZE: &str = "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE";
pub(super) const CMA_THRESHOLD: &str = "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD";
pub(super) const CMA_ENABLE: &str = "MPIR_CVAR_CH4_CMA_ENABLE";
pub(super) const UCX_THRESHOLD: &str = "UCX_RNDV_THRESH";

const SHARED_MEMORY: &str = "over shared memory";

fn number(control: &Control) -> Option<u64> {
    control.value.as_deref()?.parse().ok()
}

fn by(control: &Control, bytes: Option<u64>, means: &'static str) -> BufferingLimit {
    let (variable, value) = (control.name.clone(), control.value.clone());
    BufferingLimit { variable, is_environment: false, value, bytes, means }
}

/// The eager limit of the transport in use decides, of which the library's headers take some bytes: over shared memory that
/// of `shared`.
pub(super) fn of_transport(variables: &Variables, shared: &str, headers: u64) -> Option<BufferingLimit> {
    let chosen = |name| variables.named(name).and_then(|c| c.value.as_deref()).unwrap_or_default();
    // A list that begins with ^ says what is not to be used.
    let is_free = |list: &str| list.is_empty() || list.starts_with('^');
    let (pml, btl) = (chosen("pml"), chosen("btl"));
    if !is_free(pml) && pml != "ob1" {
        return None;
    }
    let has = |name: &str| match btl.strip_prefix('^') {
        Some(without) => !without.split(',').any(|b| b == name),
        None => btl.is_empty() || btl.split(',').any(|b| b == name),
    };
    let (transport, means) = if has(shared) { (shared, SHARED_MEMORY) } else { ("tcp", "over TCP") };
    let control = variables.named(&format!("btl_{transport}_eager_limit")).filter(|_| has(transport))?;
    Some(by(control, number(control).map(|n| n.saturating_sub(headers)), means))
}

/// Messages that fit a cell of shared memory behind its headers are buffered, unless they are copied from process to process.
pub(super) fn of_cells(variables: &Variables, headers: u64) -> Option<BufferingLimit> {
    let cell = variables.named(CELL_SIZE)?;
    let in_cell = number(cell).map(|n| n.saturating_sub(headers));
    let is_on = variables.named(CMA_ENABLE).and_then(number).is_some_and(|n| n != 0);
    let threshold = variables.named(CMA_THRESHOLD).filter(|_| is_on);
    let below = threshold.and_then(number).map(|n| n.saturating_sub(1));
    match (threshold, below, in_cell) {
        (Some(threshold), Some(below), Some(in_cell)) if below < in_cell => {
            Some(by(threshold, Some(below), SHARED_MEMORY))
        }
        _ => Some(by(cell, in_cell, SHARED_MEMORY)),
    }
}

/// UCX decides, which has its settings from the environment.
pub(super) fn of_ucx(variables: &Variables) -> Option<BufferingLimit> {
    let value = variables.environment.get(UCX_THRESHOLD).cloned();
    let bytes = value.as_deref().and_then(|v| v.parse::<u64>().ok()).map(|n| n.saturating_sub(1));
    Some(BufferingLimit { variable: UCX_THRESHOLD.into(), is_environment: true, value, bytes, means: "by UCX" })
}
