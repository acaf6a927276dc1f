//! The variables of libraries, **one row a version**: the values that they have by themselves, read by MPI_T
//! with nothing set in the environment (only variables that bear on correctness; Debian's packaging changes some of Open
//! MPI's), and what decides up to which size messages are buffered, found by measuring the limit under many values between
//! two ranks of one host. Of other versions nothing is said.

use super::Variables;
use super::limits::{self, BufferingLimit, CELL_SIZE, CMA_THRESHOLD, UCX_THRESHOLD};

/// Major and minor number.
type Version = (u32, u32);

/// A version of a library.
struct Library {
    name: &'static str,
    /// MPI_Get_library_version begins with one of these, and the version follows.
    says: &'static [&'static str],
    version: Version,
    defaults: &'static [(&'static str, &'static str)],
    /// The rest is known where it was built for this device.
    device: Option<&'static str>,
    limit: fn(&Variables) -> Option<BufferingLimit>,
    stress: &'static [Stress],
}

const OPEN_MPI: &[&str] = &["Open MPI v"];
const MPICH: &[&str] = &["MPICH Version:", "MPICH "];

static LIBRARIES: [Library; 5] = [
    Library {
        name: "Open MPI 4.1",
        says: OPEN_MPI,
        version: (4, 1),
        defaults: &[
            ("btl_vader_eager_limit", "4096"),
            ("btl_vader_rndv_eager_limit", "32768"),
            ("btl_tcp_eager_limit", "65536"),
            ("btl_tcp_rndv_eager_limit", "65536"),
            ("btl_self_eager_limit", "1024"),
            ("coll", ""),
            ("mpi_param_check", "true"),
            ("btl_base_thread_multiple_override", "false"),
        ],
        device: None,
        limit: |variables| limits::of_transport(variables, "vader", 56),
        stress: &[by_tool("btl_vader_eager_limit", "56"), by_tool("btl_tcp_eager_limit", "56")],
    },
    Library {
        name: "Open MPI 5.0",
        says: OPEN_MPI,
        version: (5, 0),
        defaults: &[("btl_sm_eager_limit", "4096"), ("btl_tcp_eager_limit", "65536")],
        device: None,
        limit: |variables| limits::of_transport(variables, "sm", 80),
        stress: &[by_tool("btl_sm_eager_limit", "80"), by_tool("btl_tcp_eager_limit", "80")],
    },
    Library {
        name: "MPICH 4.0",
        says: MPICH,
        version: (4, 0),
        defaults: &[
            ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "131072"),
            ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "69632"),
            ("MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE", "-1"),
            ("MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", "-1"),
            ("MPIR_CVAR_NEMESIS_SHM_READY_EAGER_MAX_SZ", "-2"),
            ("MPIR_CVAR_ASYNC_PROGRESS", "0"),
            ("MPIR_CVAR_ERROR_CHECKING", "1"),
            ("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_SINGLE"),
            ("MPIR_CVAR_CH4_GLOBAL_PROGRESS", "1"),
            ("MPIR_CVAR_DEVICE_COLLECTIVES", "2"),
            ("MPIR_CVAR_PROGRESS_MAX_COLLS", "0"),
        ],
        device: Some("ch4:ucx"),
        limit: limits::of_ucx,
        stress: &[Stress { name: UCX_THRESHOLD, value: "0", is_environment: true }],
    },
    Library {
        name: "MPICH 4.3",
        says: MPICH,
        version: (4, 3),
        defaults: &[
            ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "16384"),
            ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "16384"),
            ("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
        ],
        device: None,
        limit: |variables| limits::of_cells(variables, 80),
        stress: &[by_tool(CELL_SIZE, "1024")],
    },
    Library {
        name: "MPICH 5.0",
        says: MPICH,
        version: (5, 0),
        defaults: &[
            ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "8192"),
            ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "8192"),
            ("MPIR_CVAR_CH4_CMA_ENABLE", "1"),
        ],
        device: None,
        limit: |variables| limits::of_cells(variables, 80),
        stress: &[by_tool(CELL_SIZE, "1024"), by_tool(CMA_THRESHOLD, "1")],
    },
];

/// A setting of `--stress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stress {
    /// Name of the control variable, or of the environment variable.
    pub name: &'static str,
    /// Smallest value that the library takes and works with.
    pub value: &'static str,
    /// The library has it from the environment alone.
    pub is_environment: bool,
}

const fn by_tool(name: &'static str, value: &'static str) -> Stress {
    Stress { name, value, is_environment: false }
}

/// The row of a library by what MPI_Get_library_version says.
fn find(text: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| version(text, library.says) == Some(library.version))
}

fn version(text: &str, says: &[&str]) -> Option<Version> {
    let rest = says.iter().find_map(|says| text.strip_prefix(says))?.trim_start();
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The row, if the device is one for which it says what decides the buffering.
fn find_built_for(device: &str, text: &str) -> Option<&'static Library> {
    find(text).filter(|library| library.device.is_none_or(|known| device.ends_with(known)))
}

/// The value that a variable has by itself in this library, and the version of the library of which that is known.
pub fn known_default(library: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let known = find(library)?;
    known.defaults.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value, known.name))
}

/// The variable that decides up to which size the library of a run buffers messages, if that is known.
pub fn buffering_limit(library: &str, device: &str, variables: &Variables) -> Option<BufferingLimit> {
    (find_built_for(device, library)?.limit)(variables)
}

/// The settings under which a library buffers least, of those that it takes: smaller ones are refused or do not work.
pub fn stress(library: &str, device: &str) -> &'static [Stress] {
    find_built_for(device, library).map_or(&[], |library| library.stress)
}

#[cfg(test)]
mod tests {
    use super::super::Control;
    use super::super::limits::CMA_ENABLE;
    use super::*;

    const DEBIANS: &str = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";

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
        let name = |text: &str| find(text).map(|library| library.name);
        assert_eq!(name(DEBIANS), Some("Open MPI 4.1"));
        assert_eq!(name("MPICH Version:\t4.0.2"), Some("MPICH 4.0"));
        assert_eq!(name("MPICH Version:\t4.1.2"), None);
        assert_eq!(name("Intel(R) MPI Library 2021.18 for Linux* OS"), None);
    }

    #[test]
    fn the_variable_that_decides_is_named() {
        let named = |all: &[(&str, &str)]| buffering_limit(DEBIANS, "", &variables(all)).map(|l| (l.variable, l.bytes));
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
