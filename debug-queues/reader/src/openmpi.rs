//! Facts that Open MPI's DLL does not tell, read with the same layouts: which communicators join two groups, which
//! requests are complete, and the order in which operations were posted (the DLL goes through the library's memory
//! for requests, in the order of addresses).

use crate::host::Host;
use std::collections::BTreeMap;

/// `OMPI_COMM_INTER` of `c_flags`.
const INTER: i32 = 1;
/// Larger tables are damaged memory.
const MOST_COMMUNICATORS: i32 = 1 << 20;

/// By context identifier, whether a communicator joins two groups. `None` if the memory does not look like the layouts:
/// the first two communicators must be MPI_COMM_WORLD and MPI_COMM_SELF.
pub fn communicators(host: &Host) -> Option<BTreeMap<u32, bool>> {
    let memory = host.memory;
    let array = host.types.find("opal_pointer_array_t")?;
    let communicator = host.types.find("ompi_communicator_t")?;
    let at = |field: &str| communicator.fields.get(field).copied();
    let (id, flags, name) = (at("c_contextid")?, at("c_flags")?, at("c_name")?);
    let table = host.find("ompi_mpi_communicators", false)?;
    let size = memory.int(table + array.fields.get("size")?).ok()?;
    let first = memory.word(table + array.fields.get("addr")?).ok()?;
    if !(2..=MOST_COMMUNICATORS).contains(&size) {
        return None;
    }
    let mut found = BTreeMap::new();
    for i in 0..size {
        let place = memory.word(first + 8 * u64::try_from(i).ok()?).ok()?;
        if place == 0 {
            continue;
        }
        if let Some(expected) = ["MPI_COMM_WORLD", "MPI_COMM_SELF"].get(usize::try_from(i).ok()?)
            && memory.read_some(place + name, expected.len()) != expected.as_bytes()
            && !was_renamed(host, place + name)
        {
            return None;
        }
        let number = memory.int(place + id).ok()?.cast_unsigned();
        found.insert(number, memory.int(place + flags).ok()? & INTER != 0);
    }
    Some(found)
}

/// A program may give MPI_COMM_WORLD another name: then it is a text.
fn was_renamed(host: &Host, name: u64) -> bool {
    let text = host.memory.read_some(name, 64);
    let end = text.iter().position(|b| *b == 0);
    end.is_some_and(|end| end > 0 && text[..end].iter().all(|b| (0x20..0x7f).contains(b)))
}

/// A request that was used anew differs within this many bytes behind each place that the DLL reads: its sequence
/// number is among them.
pub const REACH: u64 = 512;

/// Functions in which Open MPI is when it waits, and never when it does something at once.
pub const WAITS: [&str; 4] = ["opal_progress", "ompi_sync_wait_mt", "sched_yield", "__sched_yield"];

/// Facts of a request that the library knows and the DLL does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Its number in the order of posting.
    pub sequence: u64,
    /// It is complete. The DLL takes one that a thread waits for to be complete, too.
    pub complete: bool,
}

/// The value `REQUEST_COMPLETED` of `req_complete`. A pending request has 0 there, or a pointer to the object that
/// waits for it.
const COMPLETED: u64 = 1;

/// The request that the DLL has just read, found by its reads: from the field that held the buffer's address, the
/// layouts tell the places of the other fields.
pub fn request(host: &Host, buffer: u64) -> Option<Request> {
    let base = host.types.find("mca_pml_base_request_t")?;
    let at = |field: &str| base.fields.get(field).copied();
    let (tag, sequence) = (at("req_tag")?, at("req_sequence")?);
    let complete = host.types.find("ompi_request_t")?.fields.get("req_complete").copied()?;
    let of_sends = host.types.find("mca_pml_base_send_request_t").and_then(|t| t.fields.get("req_addr").copied());
    let fetched = host.fetched.borrow();
    let requests = fetched.iter().rev().filter(|(_, size)| *size == 8).flat_map(|(address, _)| {
        [at("req_addr"), of_sends].into_iter().flatten().filter_map(|o| address.checked_sub(o))
    });
    let mut requests = requests.filter(|request| fetched.iter().any(|(address, _)| *address == request + tag));
    let request = requests.find(|request| {
        let holds =
            |offset: Option<u64>| offset.is_some_and(|o| host.memory.word(request + o).is_ok_and(|w| w == buffer));
        holds(at("req_addr")) || holds(of_sends)
    })?;
    Some(Request {
        sequence: host.memory.word(request + sequence).ok()?,
        complete: host.memory.word(request + complete).ok()? == COMPLETED,
    })
}
