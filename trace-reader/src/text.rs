//! The readable notation: how a call is printed in reports and by `mpivet print`, and how tests write traces.
//!
//! One line an event, or a call together with its return:
//!
//! ```text
//! ranks 2                                              size of the first MPI_COMM_WORLD
//! ranks w1 3                                           size of the world of spawned ranks, written w1.0 to w1.2
//! 0: def comm c1 {0,1}                                 a communicator (intercommunicator: {0}|{1})
//! 0: def bridge c1 spawn {0,1}|2+3 root 0 during 5-9   its remote group are 3 processes numbered from 2 by this rank;
//!                                                      spawn, parent, accept, connect (these with port "name"), unknown
//! 0: def type t1 vector(2,1,4; MPI_INT)                a datatype: combiner(ints; types)
//! 0: MPI_Send(dest=1, tag=7)                           a call that has not returned
//! 0: return = ok                                       the return of the thread's last open call
//! 1: MPI_Recv(source=0, tag=7) = ok {status=0/7/4}     call and return; status is source/tag/bytes[/cancelled]
//! 1: MPI_Isend(dest=0, request=@0x10) = ok {request=r1}    `@` is the address of the request variable
//! 1: MPI_Waitall(requests=[r1,r2]) = ok
//! 0.1: MPI_Barrier() = ok                              thread 1 of rank 0
//! 0.1: thread-level MPI_THREAD_SERIALIZED beside 0    the last call of thread 1 was forbidden: thread 0 was in one
//! 0: checksums at 1 sent all:8:1f received 0:4:aa,2:4:bb   in the last call, request number 1 (without `at`: 0): partner,
//!                                                      bytes, digest; `checksums` alone: the rank takes some
//! 0: callback cancel_fn of 0.3 state=0x10 complete=1 result=0   of the generalized request that call 3 of thread 0
//!                                                      made; what query_fn left is told by status=
//! 0: loads 0x1000+8 0x2000+4 / 0: stores 0x1000+8     of the program itself, on memory of a window: address+bytes
//! 0: exit 0 / 0: signal 8 / 0: signal 15 by launcher / 0: mpi-error MPI_ERR_RANK fatal "text" / 0: lost "reason"
//! ```
//!
//! Arguments that a test leaves out have a default: count 1, MPI_INT, MPI_COMM_WORLD, tag 0, root 0, MPI_SUM. The call
//! site of an event is the number of its line.

mod annotations;
mod callbacks;
mod definitions;
mod format;
mod parse;
mod samples;
mod touched;
mod values;

pub use annotations::{format_annotation, parse_annotation};
pub use callbacks::{format_callback, parse_callback};
pub(crate) use format::format_status;
pub use format::{format_arguments, format_call, format_checksums, format_definition, format_results, format_return};
pub use parse::{ParseError, TextTrace, parse};
pub use samples::{format_sample, parse_sample};
pub use touched::{format_touched, parse_touched};
pub(crate) use values::parse_status;
