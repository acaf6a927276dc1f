//! Up to which size a library buffers messages, as its variables tell: which variables decide that was found by measuring
//! the limit under many values (between two ranks of one host), for the versions named here and no others.

use super::{Control, Variables};

/// Whose library it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Product {
    Mpich,
    OpenMpi,
}

/// Product and version by what MPI_Get_library_version says.
pub(super) fn version(library: &str) -> Option<(Product, (u32, u32))> {
    let (product, rest) = match library.strip_prefix("Open MPI v") {
        Some(rest) => (Product::OpenMpi, rest),
        None => {
            (Product::Mpich, library.strip_prefix("MPICH Version:").or(library.strip_prefix("MPICH "))?.trim_start())
        }
    };
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((product, (major, minor)))
}

/// The variable that decides up to which size the library of a run buffers messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferingLimit {
    pub variable: String,
    /// It is one of the environment, not of MPI_T.
    pub is_environment: bool,
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

/// Bytes of headers that count against the limit of Open MPI's transports and the cells of MPICH.
const OPEN_MPI_4_HEADERS: u64 = 56;
const OPEN_MPI_5_HEADERS: u64 = 80;
const MPICH_HEADERS: u64 = 80;

const CELL_SIZE: &str = "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE";
const CMA_THRESHOLD: &str = "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD";
const CMA_ENABLE: &str = "MPIR_CVAR_CH4_CMA_ENABLE";
const UCX_THRESHOLD: &str = "UCX_RNDV_THRESH";

const SHARED_MEMORY: &str = "over shared memory";

/// What decides it in the library of a run, if that is known.
pub fn buffering_limit(library: &str, device: &str, variables: &Variables) -> Option<BufferingLimit> {
    match version(library)? {
        (Product::OpenMpi, (4, 1)) => open_mpi(variables, "vader", OPEN_MPI_4_HEADERS),
        (Product::OpenMpi, (5, 0)) => open_mpi(variables, "sm", OPEN_MPI_5_HEADERS),
        (Product::Mpich, (4, 0)) if device.ends_with("ch4:ucx") => {
            let value = variables.environment.get(UCX_THRESHOLD).cloned();
            let bytes = value.as_deref().and_then(|v| v.parse::<u64>().ok()).map(|n| n.saturating_sub(1));
            Some(BufferingLimit { variable: UCX_THRESHOLD.into(), is_environment: true, value, bytes, means: "by UCX" })
        }
        (Product::Mpich, (4, 3) | (5, 0)) => mpich(variables),
        _ => None,
    }
}

fn number(control: &Control) -> Option<u64> {
    control.value.as_deref()?.parse().ok()
}

fn by(control: &Control, bytes: Option<u64>, means: &'static str) -> BufferingLimit {
    let (variable, value) = (control.name.clone(), control.value.clone());
    BufferingLimit { variable, is_environment: false, value, bytes, means }
}

fn open_mpi(variables: &Variables, shared: &str, headers: u64) -> Option<BufferingLimit> {
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

fn mpich(variables: &Variables) -> Option<BufferingLimit> {
    let cell = variables.named(CELL_SIZE)?;
    let in_cell = number(cell).map(|n| n.saturating_sub(MPICH_HEADERS));
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

/// A setting of `--stress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stress {
    pub name: &'static str,
    pub value: &'static str,
    /// The library has it from the environment alone.
    pub is_environment: bool,
}

/// The settings under which a library buffers least, of those that it takes: smaller ones are refused or do not work.
pub fn stress(library: &str, device: &str) -> &'static [Stress] {
    const fn cvar(name: &'static str, value: &'static str) -> Stress {
        Stress { name, value, is_environment: false }
    }
    const OPEN_MPI_4: &[Stress] = &[cvar("btl_vader_eager_limit", "56"), cvar("btl_tcp_eager_limit", "56")];
    const OPEN_MPI_5: &[Stress] = &[cvar("btl_sm_eager_limit", "80"), cvar("btl_tcp_eager_limit", "80")];
    const MPICH_UCX: &[Stress] = &[Stress { name: UCX_THRESHOLD, value: "0", is_environment: true }];
    const MPICH_4_3: &[Stress] = &[cvar(CELL_SIZE, "1024")];
    const MPICH_5: &[Stress] = &[cvar(CELL_SIZE, "1024"), cvar(CMA_THRESHOLD, "1")];
    match version(library) {
        Some((Product::OpenMpi, (4, 1))) => OPEN_MPI_4,
        Some((Product::OpenMpi, (5, 0))) => OPEN_MPI_5,
        Some((Product::Mpich, (4, 0))) if device.ends_with("ch4:ucx") => MPICH_UCX,
        Some((Product::Mpich, (4, 3))) => MPICH_4_3,
        Some((Product::Mpich, (5, 0))) => MPICH_5,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN_MPI: &str = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";

    fn variables(all: &[(&str, &str)]) -> Variables {
        let control = |(name, value): &(&str, &str)| Control {
            name: (*name).into(),
            value: Some((*value).into()),
            ..Control::default()
        };
        Variables { control: all.iter().map(control).collect(), ..Variables::default() }
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(version(OPEN_MPI), Some((Product::OpenMpi, (4, 1))));
        assert_eq!(version("MPICH Version:\t4.0.2"), Some((Product::Mpich, (4, 0))));
        assert_eq!(version("Intel(R) MPI Library 2021.18 for Linux* OS"), None);
    }

    #[test]
    fn the_variable_that_decides_is_named() {
        let named =
            |all: &[(&str, &str)]| buffering_limit(OPEN_MPI, "", &variables(all)).map(|l| (l.variable, l.bytes));
        let vader = ("btl_vader_eager_limit", "4096");
        let tcp = ("btl_tcp_eager_limit", "65536");
        assert_eq!(named(&[vader, tcp, ("btl", "^uct")]), Some((vader.0.into(), Some(4040))));
        assert_eq!(named(&[vader, tcp, ("btl", "self,tcp")]), Some((tcp.0.into(), Some(65480))));
        assert_eq!(named(&[vader, tcp, ("pml", "ucx")]), None);
        assert_eq!(named(&[]), None);
        let cells = [(CELL_SIZE, "8192"), (CMA_THRESHOLD, "1024"), (CMA_ENABLE, "1")];
        let five = |all: &[(&str, &str)]| buffering_limit("MPICH Version:\t5.0.2", "", &variables(all));
        assert_eq!(five(&cells).map(|l| (l.variable, l.bytes)), Some((CMA_THRESHOLD.into(), Some(1023))));
        let off = [cells[0], cells[1], (CMA_ENABLE, "0")];
        assert_eq!(five(&off).map(|l| (l.variable, l.bytes)), Some((CELL_SIZE.into(), Some(8112))));
        let mut ucx = Variables::default();
        let four =
            |v: &Variables| buffering_limit("MPICH Version:\t4.0.2", "MPICH Device:\tch4:ucx", v).map(|l| l.text());
        assert!(four(&ucx).is_some_and(|t| t.ends_with("by UCX: it is not set")));
        ucx.environment.insert(UCX_THRESHOLD.into(), "100".into());
        assert!(four(&ucx).is_some_and(|t| t.ends_with("it is 100, so that messages of up to 99 bytes are buffered")));
    }
}
