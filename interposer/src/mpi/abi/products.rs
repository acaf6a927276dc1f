//! Libraries by what they call themselves (MPI_Get_library_version). Several of them have the binary interface of one family,
//! and one may have several.
//!
//! How many objects a library has room for was measured by making them until it fails, with two ranks: MPICH 4.0.2, 4.3.2
//! and 5.0.2 (also with the ABI of MPI 5) fail at the 2047th MPI_Comm_dup, MPI_Comm_split or MPI_Win_create, since there are
//! 2048 context ids less those of MPI_COMM_WORLD and MPI_COMM_SELF, and a window takes one as well; Intel MPI 2021.18 at the
//! 32767th MPI_Comm_dup; Open MPI 4.1.4 and 5.0.11 at the 65533rd MPI_Comm_dup. Objects of other kinds have no limit but
//! memory.

use super::Abi;
use super::errors::UnsetHandlers;
use trace_format::mpi::Kind;

/// Major and minor number.
pub(crate) type Version = (u32, u32);

pub(crate) struct Product {
    /// Its name among people.
    pub(crate) name: &'static str,
    /// It says this of itself,
    says: &'static str,
    /// and its version behind this.
    version_behind: &'static str,
    /// The device that it was built for behind this.
    device_behind: Option<&'static str>,
    /// The launcher that starts its processes.
    pub(crate) launcher: &'static Launcher,
    /// So many communicators and windows can a process have at once; 0: no limit is known.
    communicators: u64,
    windows: u64,
    /// From which version on; the latest comes first.
    unset_handlers: &'static [(Version, UnsetHandlers)],
}

/// The first one whose name is in the text is it.
static PRODUCTS: [Product; 3] = [
    Product {
        name: "Intel MPI",
        says: "Intel(R) MPI",
        version_behind: "Intel(R) MPI Library ",
        device_behind: None,
        launcher: &HYDRA,
        communicators: 32766,
        windows: 0,
        unset_handlers: &[((0, 0), UnsetHandlers::World)],
    },
    Product {
        name: MPICH,
        says: MPICH,
        version_behind: "MPICH Version:",
        device_behind: Some("MPICH Device:"),
        launcher: &HYDRA,
        communicators: 2046,
        windows: 2046,
        unset_handlers: &[((4, 2), UnsetHandlers::SelfThenWorld), ((0, 0), UnsetHandlers::World)],
    },
    Product {
        name: OPEN_MPI,
        says: OPEN_MPI,
        version_behind: "Open MPI v",
        device_behind: None,
        launcher: &MPIRUN,
        communicators: 65532,
        windows: 0,
        unset_handlers: &[((0, 0), UnsetHandlers::Nowhere)],
    },
];

pub(super) const MPICH: &str = "MPICH";
const OPEN_MPI: &str = "Open MPI";

/// A launcher by the environment variables that it gives to processes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Launcher {
    /// The product that it comes with.
    pub(crate) product: &'static str,
    /// The number of processes.
    pub(crate) size: &'static str,
    /// The place of this one among them.
    pub(crate) rank: &'static str,
}

/// A process may tell them: the first one whose variables are there has started it.
pub(crate) static LAUNCHERS: [&Launcher; 2] = [&MPIRUN, &HYDRA];
static MPIRUN: Launcher = Launcher { product: OPEN_MPI, size: "OMPI_COMM_WORLD_SIZE", rank: "OMPI_COMM_WORLD_RANK" };
static HYDRA: Launcher = Launcher { product: MPICH, size: "PMI_SIZE", rank: "PMI_RANK" };

/// How many objects of a kind one process can have at once.
pub(crate) struct Room {
    pub(crate) library: &'static str,
    pub(crate) objects: u64,
}

/// The words of a library on itself.
#[derive(Default)]
pub(crate) struct Identity {
    /// The first line.
    pub(crate) library: String,
    /// The device that it was built for, if it tells.
    pub(crate) device: String,
    /// `None`: it is none that is known.
    pub(crate) product: Option<&'static Product>,
    version: Option<Version>,
}

impl Identity {
    /// `text`: what MPI_Get_library_version says.
    pub(crate) fn of(text: &str) -> Identity {
        let product = PRODUCTS.iter().find(|product| text.contains(product.says));
        let behind = |what: &str| text.split_once(what).map(|(_, rest)| rest);
        let version = product.and_then(|product| numbers(behind(product.version_behind)?));
        let line = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
        let device = product.and_then(|product| behind(product.device_behind?)).map(line);
        Identity { library: line(text), device: device.unwrap_or_default(), product, version }
    }

    /// Is it this product, in this version or a later one?
    pub(super) fn is(&self, product: &str, since: Version) -> bool {
        self.product.is_some_and(|p| p.name == product) && self.version.is_some_and(|version| version >= since)
    }

    /// How many objects of a kind the library has room for; `None` if there is no limit, or none is known.
    pub(crate) fn room_for(&self, kind: Kind) -> Option<Room> {
        let product = self.product?;
        let objects = match kind {
            Kind::Comm => product.communicators,
            Kind::Win => product.windows,
            _ => 0,
        };
        (objects > 0).then_some(Room { library: product.name, objects })
    }

    /// Where the library looks for the error handler of an object that has none.
    pub(crate) fn unset_handlers(&self, abi: &Abi) -> UnsetHandlers {
        let version = self.version.unwrap_or_default();
        let known = self.product.and_then(|p| p.unset_handlers.iter().find(|(since, _)| version >= *since));
        known.map_or(abi.unset_handlers, |(_, handlers)| *handlers)
    }
}

fn numbers(text: &str) -> Option<Version> {
    let mut numbers = text.trim_start().split(|c: char| !c.is_ascii_digit()).map(|n| n.parse::<u32>().ok());
    Some((numbers.next()??, numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::abi::{mpich, openmpi, standard};

    fn unset(text: &str, abi: &Abi) -> UnsetHandlers {
        Identity::of(text).unset_handlers(abi)
    }

    #[test]
    fn libraries_are_told_apart_by_their_versions() {
        let of = |version: &str| unset(&format!("MPICH Version:      {version}\nMPICH Release date:"), &mpich::ABI);
        assert_eq!(["3.4.3", "4.0.2", "4.1.3"].map(of), [UnsetHandlers::World; 3]);
        assert_eq!(["4.2.3", "4.3.2", "5.0.2", "10.0b1"].map(of), [UnsetHandlers::SelfThenWorld; 4]);
        assert_eq!(unset("Intel(R) MPI Library 2021.18 for Linux* OS", &standard::ABI), UnsetHandlers::World);
        assert_eq!(unset("Open MPI v4.1.4", &openmpi::ABI), UnsetHandlers::Nowhere);
        assert_eq!(unset("a library that nobody knows", &standard::ABI), UnsetHandlers::Nowhere);
        assert_eq!(unset("MPICH Version:\t5.0.2", &standard::ABI), UnsetHandlers::SelfThenWorld);
    }

    #[test]
    fn headers_differ_in_what_a_buffered_send_takes() {
        let of = |abi: &Abi, text: &str| abi.bsend_overhead(&Identity::of(text));
        assert_eq!(of(&mpich::ABI, "MPICH Version:      4.0.2\nMPICH Release date: x"), 96);
        assert_eq!(of(&mpich::ABI, "MPICH Version:\t5.0.1"), 96);
        assert_eq!(of(&mpich::ABI, "Intel(R) MPI Library 2021.18 for Linux* OS"), 88);
        assert_eq!(of(&mpich::ABI, "MPICH Version:      3.4.1"), 88);
        assert_eq!(of(&standard::ABI, "MPICH Version:      5.0.1"), 512);
    }

    #[test]
    fn the_device_is_that_of_the_library() {
        let identity = Identity::of("MPICH Version:\t4.0.2\nMPICH Device:    \tch4:ucx\nMPICH configure: x");
        assert_eq!((identity.library.as_str(), identity.device.as_str()), ("MPICH Version:\t4.0.2", "ch4:ucx"));
        assert_eq!(Identity::of("Open MPI v4.1.4, package: x").device, "");
    }
}
