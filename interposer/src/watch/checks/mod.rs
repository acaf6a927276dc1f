//! The checks that this process decides by itself. One file a check, named like it; what it means is in the catalogue
//! (`trace-format/src/catalogue/`). What is found is printed at once and written to the trace, from where the analyzer
//! takes it into the report.
//!
//! When each looks at a call: [`crate::watch::calls`].

mod aliased_buffers;
pub(crate) mod arguments;
pub(crate) mod buffered_send_space;
pub(crate) mod buffers;
pub(crate) mod call_outside_mpi;
mod collective_overlap;
pub(crate) mod datatype_alignment;
pub(crate) mod double_free;
mod finding;
pub(crate) mod grequest_misuse;
mod handle;
mod in_place_misuse;
mod inaccessible_buffer;
mod invalid_argument;
mod invalid_comm;
mod invalid_count;
mod invalid_datatype;
mod invalid_file;
mod invalid_group;
mod invalid_info;
mod invalid_op;
mod invalid_rank;
mod invalid_request;
mod invalid_root;
mod invalid_tag;
mod invalid_topology;
mod invalid_window;
mod leak_bsend_buffer;
mod leak_communicator;
mod leak_datatype;
mod leak_errhandler;
mod leak_file;
mod leak_group;
pub(crate) mod leak_growth;
mod leak_info;
mod leak_keyval;
mod leak_message;
mod leak_op;
mod leak_port;
mod leak_session;
mod leak_window;
pub(crate) mod leaks;
pub(crate) mod loans;
mod nonpersistent_request_free;
mod null_buffer;
mod overlapping;
mod overlapping_sendrecv;
pub(crate) mod partitioned_misuse;
mod request_cancel;
mod request_misuse;
pub(crate) mod requests;
pub(crate) mod rma_epoch;
mod rma_local_conflict;
pub(crate) mod send_buffers;
mod send_checksum;
pub(crate) mod tag_portability;
mod uncommitted_datatype;
mod use_after_free;
pub(crate) mod watched_data_changed;
mod wrong_request_free;
pub(crate) use crate::mpi::spot::Spot;
pub(crate) use finding::Finding;
pub(crate) use leaks::at_exit;
