//! Where the arguments of a function are that sends, receives or probes, from its row of the table.

use queue_table::kind;
use smallvec::SmallVec;
use trace_format::mpi::{Class, Function, Kind, Start};

/// The arguments of a call that sends, receives, or does both. Small: it is read at every such call.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) first: Half,
    pub(crate) second: Option<Half>,
    pub(crate) comm: u8,
    /// The operation is over when the call returns.
    pub(crate) blocking: bool,
    /// MPI_Start starts it.
    pub(crate) persistent: bool,
    /// How many times so many elements.
    pub(crate) partitions: Option<u8>,
}

/// A send, receive or probe.
#[derive(Clone, Copy)]
pub(crate) struct Half {
    /// One of [`kind`].
    pub(crate) kind: u8,
    pub(crate) rank: u8,
    pub(crate) tag: u8,
    /// Buffer, count, whether that has 8 bytes, and datatype; a probe has none.
    pub(crate) data: Option<(u8, u8, bool, u8)>,
}

impl Shape {
    #[cfg(test)]
    fn halves(&self) -> impl Iterator<Item = &Half> {
        std::iter::once(&self.first).chain(&self.second)
    }

    /// `None`: calls of this function are no operations that debuggers are told of.
    pub(crate) fn of(row: &Function) -> Option<Shape> {
        let (kinds, start): (&[u8], Start) = match row.class {
            Class::Send(_, start) => (&[kind::SEND], start),
            Class::Recv(start) => (&[kind::RECEIVE], start),
            Class::SendRecv(start) | Class::SendRecvReplace(start) => (&[kind::SEND, kind::RECEIVE], start),
            Class::PartitionedSend => (&[kind::SEND], Start::Persistent),
            Class::PartitionedRecv => (&[kind::RECEIVE], Start::Persistent),
            Class::Probe(Start::Blocking) | Class::Mprobe(Start::Blocking) => (&[kind::PROBE], Start::Blocking),
            _ => return None,
        };
        let places = |wanted: &dyn Fn(Kind) -> bool| -> SmallVec<[u8; 3]> {
            let params = row.params.iter().enumerate();
            params.filter(|(_, p)| wanted(p.kind) && p.name != "partitions").map(|(i, _)| i as u8).collect()
        };
        let buffers = places(&|k| matches!(k, Kind::SendBuf | Kind::RecvBuf | Kind::Buf));
        let counts = places(&|k| matches!(k, Kind::Count | Kind::LargeCount));
        let datatypes = places(&|k| k == Kind::Datatype);
        let (ranks, tags) = (places(&|k| k == Kind::Rank), places(&|k| k == Kind::Tag));
        // Both halves of MPI_Sendrecv_replace have one buffer.
        let nth = |list: &[u8], n: usize| list.get(n).or(list.first()).copied();
        let half = |n: usize| {
            let large = |p: u8| row.params.get(usize::from(p)).is_some_and(|p| p.kind == Kind::LargeCount);
            let data = nth(&buffers, n).zip(nth(&counts, n)).zip(nth(&datatypes, n));
            let data = data.map(|((buffer, count), datatype)| (buffer, count, large(count), datatype));
            Some(Half { kind: *kinds.get(n)?, rank: nth(&ranks, n)?, tag: nth(&tags, n)?, data })
        };
        Some(Shape {
            first: half(0)?,
            second: half(1),
            comm: row.params.iter().position(|p| p.kind == Kind::Comm)? as u8,
            blocking: start == Start::Blocking,
            persistent: start == Start::Persistent,
            partitions: row.param("partitions").map(|p| p as u8),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::FUNCTIONS;

    #[test]
    fn every_function_that_sends_or_receives_has_all_its_arguments() {
        let mut found = 0;
        for row in FUNCTIONS {
            let Some(shape) = Shape::of(row) else { continue };
            found += 1;
            let name = |p: u8| row.params[usize::from(p)].name;
            let both = shape.halves().count() == 2;
            assert_eq!(both, row.name.to_lowercase().contains("sendrecv"), "{}", row.name);
            for half in shape.halves() {
                let expected = if half.kind == kind::SEND { "dest" } else { "source" };
                let is_named = name(half.rank) == expected || !both && name(half.rank) == "dest";
                assert!(is_named, "{}", row.name);
                assert!(name(half.tag).ends_with("tag"), "{}", row.name);
                assert_eq!(half.data.is_none(), row.name.to_lowercase().contains("probe"), "{}", row.name);
                let Some((buffer, count, _, datatype)) = half.data else { continue };
                let names = (name(buffer), name(count), name(datatype));
                let one = ("buf", "count", "datatype");
                let expected = match (half.kind, both && !row.name.contains("replace")) {
                    (kind::SEND, true) => ("sendbuf", "sendcount", "sendtype"),
                    (_, true) => ("recvbuf", "recvcount", "recvtype"),
                    _ => one,
                };
                assert_eq!(names, expected, "{}", row.name);
            }
        }
        assert!(found > 40, "{found}");
    }
}
