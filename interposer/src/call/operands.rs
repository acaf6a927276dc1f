//! The message buffers among the parameters of a function.

use smallvec::SmallVec;
use trace_format::mpi::{Class, Dir, FnId, Function, Kind};
use trace_format::plan::{Len, Plan, Shape};

/// One buffer of a function's row. Counts, displacements and types stand behind it; two buffers may share those.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) func: FnId,
    pub(crate) param: usize,
    pub(crate) kind: Kind,
    /// The parameter that counts its elements; [`ONE`]: it has one.
    pub(crate) count: usize,
    pub(crate) large: bool,
    /// Length of the arrays, for functions that have one count a partner.
    pub(crate) many: Option<(Len, bool)>,
    /// Displacements, and whether they are 8 bytes wide.
    pub(crate) displacements: Option<(usize, bool)>,
    pub(crate) datatype: usize,
    /// One datatype a partner: then displacements are in bytes.
    pub(crate) types: bool,
}

/// The count of a buffer with a single element, as those of MPI_Fetch_and_op and MPI_Compare_and_swap have.
pub(crate) const ONE: usize = usize::MAX;

/// The buffers of a function, from its row.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    pub(crate) list: SmallVec<[Operand; 2]>,
    /// Partner of the send and of the receive half, where there is one.
    pub(crate) dest: Option<usize>,
    pub(crate) source: Option<usize>,
    /// One message to or from one partner.
    pub(crate) is_message: bool,
}

impl Operands {
    pub(crate) fn of(row: &Function, plan: &Plan) -> Operands {
        let is_access = matches!(row.class, Class::Rma | Class::RmaRequest);
        if !(row.class.exchanges() || is_access || matches!(row.class, Class::Collective(..) | Class::FileIo(_))) {
            return Operands::default();
        }
        let is_buffer = |k: Kind| matches!(k, Kind::SendBuf | Kind::RecvBuf | Kind::Buf);
        let operand = |param: usize| {
            let behind = |test: &dyn Fn(&trace_format::mpi::Param) -> bool| {
                row.params.iter().enumerate().skip(param + 1).find(|(_, p)| test(p)).map(|(i, _)| i)
            };
            let count = behind(&|p| matches!(p.kind, Kind::Count | Kind::LargeCount) && p.name != "partitions");
            let count = count.or(is_access.then_some(ONE))?;
            let datatype = behind(&|p| p.kind == Kind::Datatype)?;
            let is_array = |i: usize| row.params.get(i).is_some_and(|p| !p.len.is_empty());
            let many = plan.ins.iter().find(|i| i.param == count).and_then(|i| match i.shape {
                Shape::Array { len, at_root, .. } => Some((len, at_root)),
                _ => None,
            });
            let between = || row.params.iter().enumerate().take(datatype).skip(count.saturating_add(1));
            let displacements = between().find(|(i, p)| {
                is_array(*i) && matches!(p.kind, Kind::Int | Kind::Aint | Kind::LargeCount) && p.dir == Dir::In
            });
            Some(Operand {
                func: row.id,
                param,
                kind: row.params.get(param)?.kind,
                count,
                large: row.params.get(count).is_some_and(|p| p.kind == Kind::LargeCount),
                many,
                displacements: displacements.map(|(i, p)| (i, p.kind != Kind::Int)),
                datatype,
                types: is_array(datatype),
            })
        };
        let buffers = row.params.iter().enumerate().filter(|(_, p)| is_buffer(p.kind));
        let ranks: SmallVec<[usize; 2]> =
            row.params.iter().enumerate().filter(|(_, p)| p.kind == Kind::Rank).map(|(i, _)| i).collect();
        let (dest, source) = match row.class {
            Class::Send(..) | Class::PartitionedSend => (ranks.first(), None),
            Class::Recv(_) | Class::PartitionedRecv => (None, ranks.first()),
            Class::SendRecv(_) | Class::SendRecvReplace(_) => (ranks.first(), ranks.get(1)),
            _ => (None, None),
        };
        Operands {
            list: buffers.filter_map(|(i, _)| operand(i)).collect(),
            dest: dest.copied(),
            source: source.copied(),
            is_message: matches!(row.class, Class::Send(..) | Class::Recv(_)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The parameter that names the receiver.
    pub(crate) fn dest(&self) -> Option<usize> {
        self.dest
    }
}
