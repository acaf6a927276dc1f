//! One performance variable that is read: its handles, by the rules of the standard (MPI 4.1, 15.3.7). A variable that is
//! not continuous is started once; one that may be written is reset first.

use super::interface::Interface;
use super::read::PerformanceInfo;
use super::value::{Datatypes, Layout, word};
use crate::mpi::abi::tool;
use crate::mpi::library::MpiLibrary;
use trace_format::definition::{COMM_SELF, COMM_WORLD, Id};
use trace_format::mpi::Kind;
use trace_format::sample::{Reading, Sample};

pub(crate) struct Probe {
    name: String,
    layout: Layout,
    handles: Vec<Handle>,
}

struct Handle {
    comm: Option<Id>,
    handle: u64,
    count: usize,
    /// It was started, and is to be stopped.
    started: bool,
    last: Option<Reading>,
}

/// More elements are not read.
const MOST_ELEMENTS: usize = 1 << 20;

impl Probe {
    /// `None`: it is not wanted, or cannot be read.
    pub(crate) fn new(
        library: &MpiLibrary,
        interface: &Interface,
        session: u64,
        index: i32,
        datatypes: &Datatypes,
        wanted: impl Fn(&str) -> bool,
    ) -> Option<Probe> {
        let info = PerformanceInfo::ask(interface, index).filter(|info| wanted(&info.name))?;
        let (_, layout) = datatypes.find(library, info.datatype).filter(|(_, layout)| *layout != Layout::Text)?;
        let mut probe = Probe { name: info.name.clone(), layout, handles: Vec::new() };
        let world = |name, id| Some((id, library.predefined_handle(Kind::Comm, name)?));
        match library.abi().tool.binding(info.binding).as_str() {
            tool::NO_OBJECT => probe.handles.extend(Handle::new(interface, session, index, &info, None)),
            tool::COMM => {
                for object in [world("MPI_COMM_WORLD", COMM_WORLD), world("MPI_COMM_SELF", COMM_SELF)] {
                    probe.handles.extend(object.and_then(|o| Handle::new(interface, session, index, &info, Some(o))));
                }
            }
            _ => {}
        }
        (!probe.handles.is_empty()).then_some(probe)
    }

    /// Readings that differ from the ones before.
    pub(crate) fn read(&mut self, interface: &Interface, session: u64) -> Vec<Sample> {
        let (name, layout) = (&self.name, self.layout);
        let sample = |handle: &mut Handle| handle.read(interface, session, name, layout);
        self.handles.iter_mut().filter_map(sample).collect()
    }

    pub(crate) fn free(self, interface: &Interface, session: u64) {
        for mut handle in self.handles {
            if handle.started {
                interface.call("PMPI_T_pvar_stop", &[session, handle.handle]);
            }
            interface.call("PMPI_T_pvar_handle_free", &[session, &raw mut handle.handle as u64]);
        }
    }
}

impl Handle {
    fn new(
        interface: &Interface,
        session: u64,
        index: i32,
        info: &PerformanceInfo,
        object: Option<(Id, u64)>,
    ) -> Option<Handle> {
        let (mut handle, mut count) = (0u64, 0i32);
        // The address of a handle; both its sizes begin at the same byte.
        let bound = object.map(|o| o.1);
        let at = bound.as_ref().map_or(0, |b| std::ptr::from_ref(b) as u64);
        let args = [session, index as u64, at, &raw mut handle as u64, &raw mut count as u64];
        if interface.call("PMPI_T_pvar_handle_alloc", &args) != 0 {
            return None;
        }
        if !info.readonly && !info.continuous {
            interface.call("PMPI_T_pvar_reset", &[session, handle]);
        }
        let started = !info.continuous && interface.call("PMPI_T_pvar_start", &[session, handle]) == 0;
        let count = (count.max(0) as usize).min(MOST_ELEMENTS);
        Some(Handle { comm: object.map(|o| o.0), handle, count, started, last: None })
    }

    fn read(&mut self, interface: &Interface, session: u64, name: &str, layout: Layout) -> Option<Sample> {
        let mut words = vec![0u64; self.count + 64];
        if interface.call("PMPI_T_pvar_read", &[session, self.handle, words.as_mut_ptr() as u64]) != 0 {
            return None;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let elements = bytes.chunks_exact(layout.bytes()).take(self.count).map(|element| reading(layout, element));
        let elements: Vec<Reading> = elements.collect();
        let (place, most) =
            elements.iter().copied().enumerate().reduce(|a, b| if b.1.value() > a.1.value() { b } else { a })?;
        let total = elements.iter().copied().reduce(add)?;
        if self.last.replace(total) == Some(total) {
            return None;
        }
        let elements = elements.len() as u32;
        Some(Sample { variable: name.to_owned(), comm: self.comm, total, most, place: place as u32, elements })
    }
}

fn reading(layout: Layout, bytes: &[u8]) -> Reading {
    let word = word(bytes);
    match layout {
        Layout::Real => Reading::Real(word),
        Layout::Signed(4) => Reading::Whole(i64::from(word as i32)),
        _ => Reading::Whole(word as i64),
    }
}

fn add(a: Reading, b: Reading) -> Reading {
    match (a, b) {
        (Reading::Whole(a), Reading::Whole(b)) => Reading::Whole(a.saturating_add(b)),
        _ => Reading::Real((a.value() + b.value()).to_bits()),
    }
}
