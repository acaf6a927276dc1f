//! Every function of MPI's C interface, one row each, in the order of the standard's chapters (numbers of MPI-4.1):
//! MPI-5.0, the functions removed since MPI-1, and the extensions (`MPIX_`) that MPI libraries export. The profiling
//! tool interface (`MPI_T_`) is not here: mpivet uses it and does not record it.
//!
//! ```text
//! fn C name / Fortran name (Direction name: Kind[length], ...) -> Kind : Class;
//! ```
//!
//! - Direction: `In` is passed by value or only read; `Out` and `InOut` are behind a pointer that MPI writes, or reads
//!   and writes. A pointer to one value has no length.
//! - Kinds and classes: [`super::kinds`].
//! - Length of an array: a parameter (`count`), the value behind an output after the call (`*outcount`), a multiple
//!   (`3*n`), the sum or the last element of another array (`sum(degrees)`, `last(index)`), a number, or a property of
//!   the call's communicator: `comm_size` (processes of the remote group if it is an intercommunicator), `local_size`,
//!   `in_neighbors`, `out_neighbors`, `cart_ndims`. ` at root` follows where the array counts at the root alone.
//!
//! The place of a row is the number of its function in traces. **A new row goes to the end**, behind those of its time: traces that
//! were recorded before then stay readable.
//!
//! Two tests keep the rows true: `tests/tests/function_table.rs` holds the signatures against the C compiler and the
//! names against the symbols of the MPI libraries on the machine.

/// Calls the macro `$callback` with all rows at once.
#[rustfmt::skip]
#[macro_export]
macro_rules! for_each_mpi_function { ($callback:ident) => { $callback! {
    // ---- 3 Point-to-point communication ----

    // 3.2, 3.4  Blocking send and receive
    fn MPI_Send / mpi_send (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm) -> Code : Send(Standard, Blocking);
    fn MPI_Send_c / mpi_send_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm) -> Code : Send(Standard, Blocking);
    fn MPI_Bsend / mpi_bsend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm) -> Code : Send(Buffered, Blocking);
    fn MPI_Bsend_c / mpi_bsend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm) -> Code : Send(Buffered, Blocking);
    fn MPI_Ssend / mpi_ssend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm) -> Code : Send(Synchronous, Blocking);
    fn MPI_Ssend_c / mpi_ssend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm) -> Code : Send(Synchronous, Blocking);
    fn MPI_Rsend / mpi_rsend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm) -> Code : Send(Ready, Blocking);
    fn MPI_Rsend_c / mpi_rsend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm) -> Code : Send(Ready, Blocking);
    fn MPI_Recv / mpi_recv (Out buf: RecvBuf, In count: Count, In datatype: Datatype, In source: Rank, In tag: Tag,
        In comm: Comm, Out status: Status) -> Code : Recv(Blocking);
    fn MPI_Recv_c / mpi_recv_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype, In source: Rank,
        In tag: Tag, In comm: Comm, Out status: Status) -> Code : Recv(Blocking);
    fn MPI_Get_count / mpi_get_count (In status: Status, In datatype: Datatype, Out count: Index) -> Code : Local;
    fn MPI_Get_count_c / mpi_get_count_c (In status: Status, In datatype: Datatype, Out count: LargeCount)
        -> Code : Local;
    fn MPI_Status_get_source / mpi_status_get_source (In status: Status, Out source: Rank) -> Code : Local;
    fn MPI_Status_get_tag / mpi_status_get_tag (In status: Status, Out tag: Tag) -> Code : Local;
    fn MPI_Status_get_error / mpi_status_get_error (In status: Status, Out err: ErrorCode) -> Code : Local;

    // 3.6  Buffer allocation: detaching and flushing wait until the buffered messages have left
    fn MPI_Buffer_attach / mpi_buffer_attach (InOut buffer: Buf, In size: Count) -> Code : BufferAttach;
    fn MPI_Buffer_attach_c / mpi_buffer_attach_c (InOut buffer: Buf, In size: LargeCount) -> Code : BufferAttach;
    fn MPI_Buffer_detach / mpi_buffer_detach (Out buffer_addr: Pointer, Out size: Count)
        -> Code : BufferFlush(Blocking);
    fn MPI_Buffer_detach_c / mpi_buffer_detach_c (Out buffer_addr: Pointer, Out size: LargeCount)
        -> Code : BufferFlush(Blocking);
    fn MPI_Buffer_flush / mpi_buffer_flush () -> Code : BufferFlush(Blocking);
    fn MPI_Buffer_iflush / mpi_buffer_iflush (Out request: Request) -> Code : BufferFlush(Nonblocking);
    fn MPI_Comm_attach_buffer / mpi_comm_attach_buffer (In comm: Comm, InOut buffer: Buf, In size: Count)
        -> Code : BufferAttach;
    fn MPI_Comm_attach_buffer_c / mpi_comm_attach_buffer_c (In comm: Comm, InOut buffer: Buf, In size: LargeCount)
        -> Code : BufferAttach;
    fn MPI_Comm_detach_buffer / mpi_comm_detach_buffer (In comm: Comm, Out buffer_addr: Pointer, Out size: Count)
        -> Code : BufferFlush(Blocking);
    fn MPI_Comm_detach_buffer_c / mpi_comm_detach_buffer_c (In comm: Comm, Out buffer_addr: Pointer,
        Out size: LargeCount) -> Code : BufferFlush(Blocking);
    fn MPI_Comm_flush_buffer / mpi_comm_flush_buffer (In comm: Comm) -> Code : BufferFlush(Blocking);
    fn MPI_Comm_iflush_buffer / mpi_comm_iflush_buffer (In comm: Comm, Out request: Request)
        -> Code : BufferFlush(Nonblocking);
    fn MPI_Session_attach_buffer / mpi_session_attach_buffer (In session: Session, InOut buffer: Buf, In size: Count)
        -> Code : BufferAttach;
    fn MPI_Session_attach_buffer_c / mpi_session_attach_buffer_c (In session: Session, InOut buffer: Buf,
        In size: LargeCount) -> Code : BufferAttach;
    fn MPI_Session_detach_buffer / mpi_session_detach_buffer (In session: Session, Out buffer_addr: Pointer,
        Out size: Count) -> Code : BufferFlush(Blocking);
    fn MPI_Session_detach_buffer_c / mpi_session_detach_buffer_c (In session: Session, Out buffer_addr: Pointer,
        Out size: LargeCount) -> Code : BufferFlush(Blocking);
    fn MPI_Session_flush_buffer / mpi_session_flush_buffer (In session: Session) -> Code : BufferFlush(Blocking);
    fn MPI_Session_iflush_buffer / mpi_session_iflush_buffer (In session: Session, Out request: Request)
        -> Code : BufferFlush(Nonblocking);

    // 3.7  Nonblocking communication and completion
    fn MPI_Isend / mpi_isend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm, Out request: Request) -> Code : Send(Standard, Nonblocking);
    fn MPI_Isend_c / mpi_isend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Standard, Nonblocking);
    fn MPI_Ibsend / mpi_ibsend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm, Out request: Request) -> Code : Send(Buffered, Nonblocking);
    fn MPI_Ibsend_c / mpi_ibsend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Buffered, Nonblocking);
    fn MPI_Issend / mpi_issend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm, Out request: Request) -> Code : Send(Synchronous, Nonblocking);
    fn MPI_Issend_c / mpi_issend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Synchronous, Nonblocking);
    fn MPI_Irsend / mpi_irsend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank, In tag: Tag,
        In comm: Comm, Out request: Request) -> Code : Send(Ready, Nonblocking);
    fn MPI_Irsend_c / mpi_irsend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Ready, Nonblocking);
    fn MPI_Irecv / mpi_irecv (Out buf: RecvBuf, In count: Count, In datatype: Datatype, In source: Rank, In tag: Tag,
        In comm: Comm, Out request: Request) -> Code : Recv(Nonblocking);
    fn MPI_Irecv_c / mpi_irecv_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype, In source: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Recv(Nonblocking);
    fn MPI_Wait / mpi_wait (InOut request: Request, Out status: Status) -> Code : Wait(One);
    fn MPI_Test / mpi_test (InOut request: Request, Out flag: Flag, Out status: Status) -> Code : Test(One);
    fn MPI_Request_free / mpi_request_free (InOut request: Request) -> Code : RequestFree;
    fn MPI_Waitany / mpi_waitany (In count: Count, InOut array_of_requests: Request[count], Out index: Index,
        Out status: Status) -> Code : Wait(Any);
    fn MPI_Testany / mpi_testany (In count: Count, InOut array_of_requests: Request[count], Out index: Index,
        Out flag: Flag, Out status: Status) -> Code : Test(Any);
    fn MPI_Waitall / mpi_waitall (In count: Count, InOut array_of_requests: Request[count],
        Out array_of_statuses: Status[count]) -> Code : Wait(All);
    fn MPI_Testall / mpi_testall (In count: Count, InOut array_of_requests: Request[count], Out flag: Flag,
        Out array_of_statuses: Status[count]) -> Code : Test(All);
    fn MPI_Waitsome / mpi_waitsome (In incount: Count, InOut array_of_requests: Request[incount], Out outcount: Index,
        Out array_of_indices: Index[*outcount], Out array_of_statuses: Status[*outcount]) -> Code : Wait(Some);
    fn MPI_Testsome / mpi_testsome (In incount: Count, InOut array_of_requests: Request[incount], Out outcount: Index,
        Out array_of_indices: Index[*outcount], Out array_of_statuses: Status[*outcount]) -> Code : Test(Some);
    fn MPI_Request_get_status / mpi_request_get_status (In request: Request, Out flag: Flag, Out status: Status)
        -> Code : GetStatus(One);
    fn MPI_Request_get_status_any / mpi_request_get_status_any (In count: Count, In array_of_requests: Request[count],
        Out index: Index, Out flag: Flag, Out status: Status) -> Code : GetStatus(Any);
    fn MPI_Request_get_status_all / mpi_request_get_status_all (In count: Count, In array_of_requests: Request[count],
        Out flag: Flag, Out array_of_statuses: Status[count]) -> Code : GetStatus(All);
    fn MPI_Request_get_status_some / mpi_request_get_status_some (In incount: Count,
        In array_of_requests: Request[incount], Out outcount: Index, Out array_of_indices: Index[*outcount],
        Out array_of_statuses: Status[*outcount]) -> Code : GetStatus(Some);

    // 3.8  Probe and cancel
    fn MPI_Iprobe / mpi_iprobe (In source: Rank, In tag: Tag, In comm: Comm, Out flag: Flag, Out status: Status)
        -> Code : Probe(Nonblocking);
    fn MPI_Probe / mpi_probe (In source: Rank, In tag: Tag, In comm: Comm, Out status: Status)
        -> Code : Probe(Blocking);
    fn MPI_Improbe / mpi_improbe (In source: Rank, In tag: Tag, In comm: Comm, Out flag: Flag, Out message: Message,
        Out status: Status) -> Code : Mprobe(Nonblocking);
    fn MPI_Mprobe / mpi_mprobe (In source: Rank, In tag: Tag, In comm: Comm, Out message: Message, Out status: Status)
        -> Code : Mprobe(Blocking);
    fn MPI_Mrecv / mpi_mrecv (Out buf: RecvBuf, In count: Count, In datatype: Datatype, InOut message: Message,
        Out status: Status) -> Code : Mrecv(Blocking);
    fn MPI_Mrecv_c / mpi_mrecv_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype, InOut message: Message,
        Out status: Status) -> Code : Mrecv(Blocking);
    fn MPI_Imrecv / mpi_imrecv (Out buf: RecvBuf, In count: Count, In datatype: Datatype, InOut message: Message,
        Out request: Request) -> Code : Mrecv(Nonblocking);
    fn MPI_Imrecv_c / mpi_imrecv_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        InOut message: Message, Out request: Request) -> Code : Mrecv(Nonblocking);
    fn MPI_Cancel / mpi_cancel (InOut request: Request) -> Code : Cancel;
    fn MPI_Test_cancelled / mpi_test_cancelled (In status: Status, Out flag: Flag) -> Code : Local;

    // 3.9  Persistent requests
    fn MPI_Send_init / mpi_send_init (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Standard, Persistent);
    fn MPI_Send_init_c / mpi_send_init_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Standard, Persistent);
    fn MPI_Bsend_init / mpi_bsend_init (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Buffered, Persistent);
    fn MPI_Bsend_init_c / mpi_bsend_init_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Buffered, Persistent);
    fn MPI_Ssend_init / mpi_ssend_init (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Synchronous, Persistent);
    fn MPI_Ssend_init_c / mpi_ssend_init_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Synchronous, Persistent);
    fn MPI_Rsend_init / mpi_rsend_init (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Ready, Persistent);
    fn MPI_Rsend_init_c / mpi_rsend_init_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Send(Ready, Persistent);
    fn MPI_Recv_init / mpi_recv_init (Out buf: RecvBuf, In count: Count, In datatype: Datatype, In source: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Recv(Persistent);
    fn MPI_Recv_init_c / mpi_recv_init_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        In source: Rank, In tag: Tag, In comm: Comm, Out request: Request) -> Code : Recv(Persistent);
    fn MPI_Start / mpi_start (InOut request: Request) -> Code : StartOne;
    fn MPI_Startall / mpi_startall (In count: Count, InOut array_of_requests: Request[count]) -> Code : StartAll;

    // 3.10  Send-receive
    fn MPI_Sendrecv / mpi_sendrecv (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype, In dest: Rank,
        In sendtag: Tag, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In source: Rank,
        In recvtag: Tag, In comm: Comm, Out status: Status) -> Code : SendRecv(Blocking);
    fn MPI_Sendrecv_c / mpi_sendrecv_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        In dest: Rank, In sendtag: Tag, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype,
        In source: Rank, In recvtag: Tag, In comm: Comm, Out status: Status) -> Code : SendRecv(Blocking);
    fn MPI_Sendrecv_replace / mpi_sendrecv_replace (InOut buf: Buf, In count: Count, In datatype: Datatype,
        In dest: Rank, In sendtag: Tag, In source: Rank, In recvtag: Tag, In comm: Comm, Out status: Status)
        -> Code : SendRecvReplace(Blocking);
    fn MPI_Sendrecv_replace_c / mpi_sendrecv_replace_c (InOut buf: Buf, In count: LargeCount, In datatype: Datatype,
        In dest: Rank, In sendtag: Tag, In source: Rank, In recvtag: Tag, In comm: Comm, Out status: Status)
        -> Code : SendRecvReplace(Blocking);
    fn MPI_Isendrecv / mpi_isendrecv (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype, In dest: Rank,
        In sendtag: Tag, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In source: Rank,
        In recvtag: Tag, In comm: Comm, Out request: Request) -> Code : SendRecv(Nonblocking);
    fn MPI_Isendrecv_c / mpi_isendrecv_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        In dest: Rank, In sendtag: Tag, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype,
        In source: Rank, In recvtag: Tag, In comm: Comm, Out request: Request) -> Code : SendRecv(Nonblocking);
    fn MPI_Isendrecv_replace / mpi_isendrecv_replace (InOut buf: Buf, In count: Count, In datatype: Datatype,
        In dest: Rank, In sendtag: Tag, In source: Rank, In recvtag: Tag, In comm: Comm, Out request: Request)
        -> Code : SendRecvReplace(Nonblocking);
    fn MPI_Isendrecv_replace_c / mpi_isendrecv_replace_c (InOut buf: Buf, In count: LargeCount, In datatype: Datatype,
        In dest: Rank, In sendtag: Tag, In source: Rank, In recvtag: Tag, In comm: Comm, Out request: Request)
        -> Code : SendRecvReplace(Nonblocking);

    // ---- 4 Partitioned point-to-point communication ----

    fn MPI_Psend_init / mpi_psend_init (In buf: SendBuf, In partitions: Count, In count: LargeCount,
        In datatype: Datatype, In dest: Rank, In tag: Tag, In comm: Comm, In info: Info, Out request: Request)
        -> Code : PartitionedSend;
    fn MPI_Precv_init / mpi_precv_init (Out buf: RecvBuf, In partitions: Count, In count: LargeCount,
        In datatype: Datatype, In dest: Rank, In tag: Tag, In comm: Comm, In info: Info, Out request: Request)
        -> Code : PartitionedRecv;
    fn MPI_Pready / mpi_pready (In partition: Int, In request: Request) -> Code : Pready;
    fn MPI_Pready_range / mpi_pready_range (In partition_low: Int, In partition_high: Int, In request: Request)
        -> Code : Pready;
    fn MPI_Pready_list / mpi_pready_list (In length: Count, In array_of_partitions: Int[length], In request: Request)
        -> Code : Pready;
    fn MPI_Parrived / mpi_parrived (In request: Request, In partition: Int, Out flag: Flag) -> Code : Parrived;

    // ---- 5 Datatypes ----

    // 5.1.2  Constructors
    fn MPI_Type_contiguous / mpi_type_contiguous (In count: Count, In oldtype: Datatype, Out newtype: Datatype)
        -> Code : Create;
    fn MPI_Type_contiguous_c / mpi_type_contiguous_c (In count: LargeCount, In oldtype: Datatype, Out newtype: Datatype)
        -> Code : Create;
    fn MPI_Type_vector / mpi_type_vector (In count: Count, In blocklength: Count, In stride: Int, In oldtype: Datatype,
        Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_vector_c / mpi_type_vector_c (In count: LargeCount, In blocklength: LargeCount, In stride: LargeCount,
        In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_hvector / mpi_type_create_hvector (In count: Count, In blocklength: Count, In stride: Aint,
        In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_hvector_c / mpi_type_create_hvector_c (In count: LargeCount, In blocklength: LargeCount,
        In stride: LargeCount, In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_indexed / mpi_type_indexed (In count: Count, In array_of_blocklengths: Count[count],
        In array_of_displacements: Int[count], In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_indexed_c / mpi_type_indexed_c (In count: LargeCount, In array_of_blocklengths: LargeCount[count],
        In array_of_displacements: LargeCount[count], In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_hindexed / mpi_type_create_hindexed (In count: Count, In array_of_blocklengths: Count[count],
        In array_of_displacements: Aint[count], In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_hindexed_c / mpi_type_create_hindexed_c (In count: LargeCount,
        In array_of_blocklengths: LargeCount[count], In array_of_displacements: LargeCount[count], In oldtype: Datatype,
        Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_indexed_block / mpi_type_create_indexed_block (In count: Count, In blocklength: Count,
        In array_of_displacements: Int[count], In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_indexed_block_c / mpi_type_create_indexed_block_c (In count: LargeCount,
        In blocklength: LargeCount, In array_of_displacements: LargeCount[count], In oldtype: Datatype,
        Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_hindexed_block / mpi_type_create_hindexed_block (In count: Count, In blocklength: Count,
        In array_of_displacements: Aint[count], In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_hindexed_block_c / mpi_type_create_hindexed_block_c (In count: LargeCount,
        In blocklength: LargeCount, In array_of_displacements: LargeCount[count], In oldtype: Datatype,
        Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_struct / mpi_type_create_struct (In count: Count, In array_of_blocklengths: Count[count],
        In array_of_displacements: Aint[count], In array_of_types: Datatype[count], Out newtype: Datatype)
        -> Code : Create;
    fn MPI_Type_create_struct_c / mpi_type_create_struct_c (In count: LargeCount,
        In array_of_blocklengths: LargeCount[count], In array_of_displacements: LargeCount[count],
        In array_of_types: Datatype[count], Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_subarray / mpi_type_create_subarray (In ndims: Count, In array_of_sizes: Int[ndims],
        In array_of_subsizes: Int[ndims], In array_of_starts: Int[ndims], In order: Const, In oldtype: Datatype,
        Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_subarray_c / mpi_type_create_subarray_c (In ndims: Count, In array_of_sizes: LargeCount[ndims],
        In array_of_subsizes: LargeCount[ndims], In array_of_starts: LargeCount[ndims], In order: Const,
        In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_darray / mpi_type_create_darray (In size: Int, In rank: Rank, In ndims: Count,
        In array_of_gsizes: Int[ndims], In array_of_distribs: Const[ndims], In array_of_dargs: Int[ndims],
        In array_of_psizes: Int[ndims], In order: Const, In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_darray_c / mpi_type_create_darray_c (In size: Int, In rank: Rank, In ndims: Count,
        In array_of_gsizes: LargeCount[ndims], In array_of_distribs: Const[ndims], In array_of_dargs: Int[ndims],
        In array_of_psizes: Int[ndims], In order: Const, In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_resized / mpi_type_create_resized (In oldtype: Datatype, In lb: Aint, In extent: Aint,
        Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_create_resized_c / mpi_type_create_resized_c (In oldtype: Datatype, In lb: LargeCount,
        In extent: LargeCount, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_dup / mpi_type_dup (In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;

    // 5.1.5 - 5.1.13  Addresses, extents, commit, free, decoding. Type_get_contents gives handles to be freed
    fn MPI_Get_address / mpi_get_address (In location: Pointer, Out address: Aint) -> Code : Local;
    fn MPI_Aint_add / mpi_aint_add (In base: Aint, In disp: Aint) -> Aint : Local;
    fn MPI_Aint_diff / mpi_aint_diff (In addr1: Aint, In addr2: Aint) -> Aint : Local;
    fn MPI_Type_size / mpi_type_size (In datatype: Datatype, Out size: Int) -> Code : Local;
    fn MPI_Type_size_c / mpi_type_size_c (In datatype: Datatype, Out size: LargeCount) -> Code : Local;
    fn MPI_Type_size_x / mpi_type_size_x (In datatype: Datatype, Out size: LargeCount) -> Code : Local;
    fn MPI_Type_get_extent / mpi_type_get_extent (In datatype: Datatype, Out lb: Aint, Out extent: Aint)
        -> Code : Local;
    fn MPI_Type_get_extent_c / mpi_type_get_extent_c (In datatype: Datatype, Out lb: LargeCount, Out extent: LargeCount)
        -> Code : Local;
    fn MPI_Type_get_extent_x / mpi_type_get_extent_x (In datatype: Datatype, Out lb: LargeCount, Out extent: LargeCount)
        -> Code : Local;
    fn MPI_Type_get_true_extent / mpi_type_get_true_extent (In datatype: Datatype, Out true_lb: Aint,
        Out true_extent: Aint) -> Code : Local;
    fn MPI_Type_get_true_extent_c / mpi_type_get_true_extent_c (In datatype: Datatype, Out true_lb: LargeCount,
        Out true_extent: LargeCount) -> Code : Local;
    fn MPI_Type_get_true_extent_x / mpi_type_get_true_extent_x (In datatype: Datatype, Out true_lb: LargeCount,
        Out true_extent: LargeCount) -> Code : Local;
    fn MPI_Type_commit / mpi_type_commit (InOut datatype: Datatype) -> Code : Local;
    fn MPI_Type_free / mpi_type_free (InOut datatype: Datatype) -> Code : Free;
    fn MPI_Get_elements / mpi_get_elements (In status: Status, In datatype: Datatype, Out count: Index) -> Code : Local;
    fn MPI_Get_elements_c / mpi_get_elements_c (In status: Status, In datatype: Datatype, Out count: LargeCount)
        -> Code : Local;
    fn MPI_Get_elements_x / mpi_get_elements_x (In status: Status, In datatype: Datatype, Out count: LargeCount)
        -> Code : Local;
    fn MPI_Type_get_envelope / mpi_type_get_envelope (In datatype: Datatype, Out num_integers: Int,
        Out num_addresses: Int, Out num_datatypes: Int, Out combiner: Const) -> Code : Local;
    fn MPI_Type_get_envelope_c / mpi_type_get_envelope_c (In datatype: Datatype, Out num_integers: LargeCount,
        Out num_addresses: LargeCount, Out num_large_counts: LargeCount, Out num_datatypes: LargeCount,
        Out combiner: Const) -> Code : Local;
    fn MPI_Type_get_contents / mpi_type_get_contents (In datatype: Datatype, In max_integers: Count,
        In max_addresses: Count, In max_datatypes: Count, Out array_of_integers: Int[max_integers],
        Out array_of_addresses: Aint[max_addresses], Out array_of_datatypes: Datatype[max_datatypes]) -> Code : Create;
    fn MPI_Type_get_contents_c / mpi_type_get_contents_c (In datatype: Datatype, In max_integers: LargeCount,
        In max_addresses: LargeCount, In max_large_counts: LargeCount, In max_datatypes: LargeCount,
        Out array_of_integers: Int[max_integers], Out array_of_addresses: Aint[max_addresses],
        Out array_of_large_counts: LargeCount[max_large_counts], Out array_of_datatypes: Datatype[max_datatypes])
        -> Code : Create;
    fn MPI_Type_get_value_index / mpi_type_get_value_index (In value_type: Datatype, In index_type: Datatype,
        Out pair_type: Datatype) -> Code : Local;

    // 5.2, 5.3  Pack and unpack
    fn MPI_Pack / mpi_pack (In inbuf: SendBuf, In incount: Count, In datatype: Datatype, Out outbuf: RecvBuf,
        In outsize: Count, InOut position: Int, In comm: Comm) -> Code : Local;
    fn MPI_Pack_c / mpi_pack_c (In inbuf: SendBuf, In incount: LargeCount, In datatype: Datatype, Out outbuf: RecvBuf,
        In outsize: LargeCount, InOut position: LargeCount, In comm: Comm) -> Code : Local;
    fn MPI_Unpack / mpi_unpack (In inbuf: SendBuf, In insize: Count, InOut position: Int, Out outbuf: RecvBuf,
        In outcount: Count, In datatype: Datatype, In comm: Comm) -> Code : Local;
    fn MPI_Unpack_c / mpi_unpack_c (In inbuf: SendBuf, In insize: LargeCount, InOut position: LargeCount,
        Out outbuf: RecvBuf, In outcount: LargeCount, In datatype: Datatype, In comm: Comm) -> Code : Local;
    fn MPI_Pack_size / mpi_pack_size (In incount: Count, In datatype: Datatype, In comm: Comm, Out size: Count)
        -> Code : Local;
    fn MPI_Pack_size_c / mpi_pack_size_c (In incount: LargeCount, In datatype: Datatype, In comm: Comm,
        Out size: LargeCount) -> Code : Local;
    fn MPI_Pack_external / mpi_pack_external (In datarep: Str, In inbuf: SendBuf, In incount: Count,
        In datatype: Datatype, Out outbuf: RecvBuf, In outsize: Aint, InOut position: Aint) -> Code : Local;
    fn MPI_Pack_external_c / mpi_pack_external_c (In datarep: Str, In inbuf: SendBuf, In incount: LargeCount,
        In datatype: Datatype, Out outbuf: RecvBuf, In outsize: LargeCount, InOut position: LargeCount) -> Code : Local;
    fn MPI_Unpack_external / mpi_unpack_external (In datarep: Str, In inbuf: SendBuf, In insize: Aint,
        InOut position: Aint, Out outbuf: RecvBuf, In outcount: Count, In datatype: Datatype) -> Code : Local;
    fn MPI_Unpack_external_c / mpi_unpack_external_c (In datarep: Str, In inbuf: SendBuf, In insize: LargeCount,
        InOut position: LargeCount, Out outbuf: RecvBuf, In outcount: LargeCount, In datatype: Datatype)
        -> Code : Local;
    fn MPI_Pack_external_size / mpi_pack_external_size (In datarep: Str, In incount: Count, In datatype: Datatype,
        Out size: Aint) -> Code : Local;
    fn MPI_Pack_external_size_c / mpi_pack_external_size_c (In datarep: Str, In incount: LargeCount,
        In datatype: Datatype, Out size: LargeCount) -> Code : Local;

    // ---- 6 Collective communication ----

    // 6.3 - 6.11  Blocking
    fn MPI_Barrier / mpi_barrier (In comm: Comm) -> Code : Collective(Barrier, Blocking);
    fn MPI_Bcast / mpi_bcast (InOut buffer: Buf, In count: Count, In datatype: Datatype, In root: Root, In comm: Comm)
        -> Code : Collective(Bcast, Blocking);
    fn MPI_Bcast_c / mpi_bcast_c (InOut buffer: Buf, In count: LargeCount, In datatype: Datatype, In root: Root,
        In comm: Comm) -> Code : Collective(Bcast, Blocking);
    fn MPI_Gather / mpi_gather (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype, Out recvbuf: RecvBuf,
        In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm)
        -> Code : Collective(Gather, Blocking);
    fn MPI_Gather_c / mpi_gather_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In root: Root, In comm: Comm)
        -> Code : Collective(Gather, Blocking);
    fn MPI_Gatherv / mpi_gatherv (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype, Out recvbuf: RecvBuf,
        In recvcounts: Count[comm_size at root], In displs: Int[comm_size at root], In recvtype: Datatype,
        In root: Root, In comm: Comm) -> Code : Collective(Gatherv, Blocking);
    fn MPI_Gatherv_c / mpi_gatherv_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size at root], In displs: Aint[comm_size at root],
        In recvtype: Datatype, In root: Root, In comm: Comm) -> Code : Collective(Gatherv, Blocking);
    fn MPI_Scatter / mpi_scatter (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype, Out recvbuf: RecvBuf,
        In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm)
        -> Code : Collective(Scatter, Blocking);
    fn MPI_Scatter_c / mpi_scatter_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In root: Root, In comm: Comm)
        -> Code : Collective(Scatter, Blocking);
    fn MPI_Scatterv / mpi_scatterv (In sendbuf: SendBuf, In sendcounts: Count[comm_size at root],
        In displs: Int[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count,
        In recvtype: Datatype, In root: Root, In comm: Comm) -> Code : Collective(Scatterv, Blocking);
    fn MPI_Scatterv_c / mpi_scatterv_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size at root],
        In displs: Aint[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount,
        In recvtype: Datatype, In root: Root, In comm: Comm) -> Code : Collective(Scatterv, Blocking);
    fn MPI_Allgather / mpi_allgather (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(Allgather, Blocking);
    fn MPI_Allgather_c / mpi_allgather_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(Allgather, Blocking);
    fn MPI_Allgatherv / mpi_allgatherv (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size], In displs: Int[comm_size], In recvtype: Datatype,
        In comm: Comm) -> Code : Collective(Allgatherv, Blocking);
    fn MPI_Allgatherv_c / mpi_allgatherv_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size], In displs: Aint[comm_size], In recvtype: Datatype,
        In comm: Comm) -> Code : Collective(Allgatherv, Blocking);
    fn MPI_Alltoall / mpi_alltoall (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(Alltoall, Blocking);
    fn MPI_Alltoall_c / mpi_alltoall_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(Alltoall, Blocking);
    fn MPI_Alltoallv / mpi_alltoallv (In sendbuf: SendBuf, In sendcounts: Count[comm_size], In sdispls: Int[comm_size],
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[comm_size], In rdispls: Int[comm_size],
        In recvtype: Datatype, In comm: Comm) -> Code : Collective(Alltoallv, Blocking);
    fn MPI_Alltoallv_c / mpi_alltoallv_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size],
        In sdispls: Aint[comm_size], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size],
        In rdispls: Aint[comm_size], In recvtype: Datatype, In comm: Comm) -> Code : Collective(Alltoallv, Blocking);
    fn MPI_Alltoallw / mpi_alltoallw (In sendbuf: SendBuf, In sendcounts: Count[comm_size], In sdispls: Int[comm_size],
        In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf, In recvcounts: Count[comm_size],
        In rdispls: Int[comm_size], In recvtypes: Datatype[comm_size], In comm: Comm)
        -> Code : Collective(Alltoallw, Blocking);
    fn MPI_Alltoallw_c / mpi_alltoallw_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size],
        In sdispls: Aint[comm_size], In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf,
        In recvcounts: LargeCount[comm_size], In rdispls: Aint[comm_size], In recvtypes: Datatype[comm_size],
        In comm: Comm) -> Code : Collective(Alltoallw, Blocking);
    fn MPI_Reduce / mpi_reduce (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In root: Root, In comm: Comm) -> Code : Collective(Reduce, Blocking);
    fn MPI_Reduce_c / mpi_reduce_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In root: Root, In comm: Comm) -> Code : Collective(Reduce, Blocking);
    fn MPI_Allreduce / mpi_allreduce (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In comm: Comm) -> Code : Collective(Allreduce, Blocking);
    fn MPI_Allreduce_c / mpi_allreduce_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm) -> Code : Collective(Allreduce, Blocking);
    fn MPI_Reduce_scatter_block / mpi_reduce_scatter_block (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: Count, In datatype: Datatype, In op: Op, In comm: Comm)
        -> Code : Collective(ReduceScatterBlock, Blocking);
    fn MPI_Reduce_scatter_block_c / mpi_reduce_scatter_block_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: LargeCount, In datatype: Datatype, In op: Op, In comm: Comm)
        -> Code : Collective(ReduceScatterBlock, Blocking);
    fn MPI_Reduce_scatter / mpi_reduce_scatter (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: Count[local_size], In datatype: Datatype, In op: Op, In comm: Comm)
        -> Code : Collective(ReduceScatter, Blocking);
    fn MPI_Reduce_scatter_c / mpi_reduce_scatter_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: LargeCount[local_size], In datatype: Datatype, In op: Op, In comm: Comm)
        -> Code : Collective(ReduceScatter, Blocking);
    fn MPI_Scan / mpi_scan (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In comm: Comm) -> Code : Collective(Scan, Blocking);
    fn MPI_Scan_c / mpi_scan_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        In op: Op, In comm: Comm) -> Code : Collective(Scan, Blocking);
    fn MPI_Exscan / mpi_exscan (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In comm: Comm) -> Code : Collective(Exscan, Blocking);
    fn MPI_Exscan_c / mpi_exscan_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm) -> Code : Collective(Exscan, Blocking);

    // 6.9  Reduction operations
    fn MPI_Op_create / mpi_op_create (In user_fn: Callback, In commute: Flag, Out op: Op) -> Code : Create;
    fn MPI_Op_create_c / mpi_op_create_c (In user_fn: Callback, In commute: Flag, Out op: Op) -> Code : Create;
    fn MPI_Op_free / mpi_op_free (InOut op: Op) -> Code : Free;
    fn MPI_Op_commutative / mpi_op_commutative (In op: Op, Out commute: Flag) -> Code : Local;
    fn MPI_Reduce_local / mpi_reduce_local (In inbuf: SendBuf, InOut inoutbuf: Buf, In count: Count,
        In datatype: Datatype, In op: Op) -> Code : Local;
    fn MPI_Reduce_local_c / mpi_reduce_local_c (In inbuf: SendBuf, InOut inoutbuf: Buf, In count: LargeCount,
        In datatype: Datatype, In op: Op) -> Code : Local;

    // 6.12  Nonblocking
    fn MPI_Ibarrier / mpi_ibarrier (In comm: Comm, Out request: Request) -> Code : Collective(Barrier, Nonblocking);
    fn MPI_Ibcast / mpi_ibcast (InOut buffer: Buf, In count: Count, In datatype: Datatype, In root: Root, In comm: Comm,
        Out request: Request) -> Code : Collective(Bcast, Nonblocking);
    fn MPI_Ibcast_c / mpi_ibcast_c (InOut buffer: Buf, In count: LargeCount, In datatype: Datatype, In root: Root,
        In comm: Comm, Out request: Request) -> Code : Collective(Bcast, Nonblocking);
    fn MPI_Igather / mpi_igather (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype, Out recvbuf: RecvBuf,
        In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm, Out request: Request)
        -> Code : Collective(Gather, Nonblocking);
    fn MPI_Igather_c / mpi_igather_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In root: Root, In comm: Comm,
        Out request: Request) -> Code : Collective(Gather, Nonblocking);
    fn MPI_Igatherv / mpi_igatherv (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size at root], In displs: Int[comm_size at root],
        In recvtype: Datatype, In root: Root, In comm: Comm, Out request: Request)
        -> Code : Collective(Gatherv, Nonblocking);
    fn MPI_Igatherv_c / mpi_igatherv_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size at root], In displs: Aint[comm_size at root],
        In recvtype: Datatype, In root: Root, In comm: Comm, Out request: Request)
        -> Code : Collective(Gatherv, Nonblocking);
    fn MPI_Iscatter / mpi_iscatter (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm,
        Out request: Request) -> Code : Collective(Scatter, Nonblocking);
    fn MPI_Iscatter_c / mpi_iscatter_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In root: Root, In comm: Comm,
        Out request: Request) -> Code : Collective(Scatter, Nonblocking);
    fn MPI_Iscatterv / mpi_iscatterv (In sendbuf: SendBuf, In sendcounts: Count[comm_size at root],
        In displs: Int[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count,
        In recvtype: Datatype, In root: Root, In comm: Comm, Out request: Request)
        -> Code : Collective(Scatterv, Nonblocking);
    fn MPI_Iscatterv_c / mpi_iscatterv_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size at root],
        In displs: Aint[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount,
        In recvtype: Datatype, In root: Root, In comm: Comm, Out request: Request)
        -> Code : Collective(Scatterv, Nonblocking);
    fn MPI_Iallgather / mpi_iallgather (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(Allgather, Nonblocking);
    fn MPI_Iallgather_c / mpi_iallgather_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(Allgather, Nonblocking);
    fn MPI_Iallgatherv / mpi_iallgatherv (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size], In displs: Int[comm_size], In recvtype: Datatype,
        In comm: Comm, Out request: Request) -> Code : Collective(Allgatherv, Nonblocking);
    fn MPI_Iallgatherv_c / mpi_iallgatherv_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size], In displs: Aint[comm_size], In recvtype: Datatype,
        In comm: Comm, Out request: Request) -> Code : Collective(Allgatherv, Nonblocking);
    fn MPI_Ialltoall / mpi_ialltoall (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(Alltoall, Nonblocking);
    fn MPI_Ialltoall_c / mpi_ialltoall_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(Alltoall, Nonblocking);
    fn MPI_Ialltoallv / mpi_ialltoallv (In sendbuf: SendBuf, In sendcounts: Count[comm_size],
        In sdispls: Int[comm_size], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[comm_size],
        In rdispls: Int[comm_size], In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(Alltoallv, Nonblocking);
    fn MPI_Ialltoallv_c / mpi_ialltoallv_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size],
        In sdispls: Aint[comm_size], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size],
        In rdispls: Aint[comm_size], In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(Alltoallv, Nonblocking);
    fn MPI_Ialltoallw / mpi_ialltoallw (In sendbuf: SendBuf, In sendcounts: Count[comm_size],
        In sdispls: Int[comm_size], In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf,
        In recvcounts: Count[comm_size], In rdispls: Int[comm_size], In recvtypes: Datatype[comm_size], In comm: Comm,
        Out request: Request) -> Code : Collective(Alltoallw, Nonblocking);
    fn MPI_Ialltoallw_c / mpi_ialltoallw_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size],
        In sdispls: Aint[comm_size], In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf,
        In recvcounts: LargeCount[comm_size], In rdispls: Aint[comm_size], In recvtypes: Datatype[comm_size],
        In comm: Comm, Out request: Request) -> Code : Collective(Alltoallw, Nonblocking);
    fn MPI_Ireduce / mpi_ireduce (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In root: Root, In comm: Comm, Out request: Request) -> Code : Collective(Reduce, Nonblocking);
    fn MPI_Ireduce_c / mpi_ireduce_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In root: Root, In comm: Comm, Out request: Request)
        -> Code : Collective(Reduce, Nonblocking);
    fn MPI_Iallreduce / mpi_iallreduce (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(Allreduce, Nonblocking);
    fn MPI_Iallreduce_c / mpi_iallreduce_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(Allreduce, Nonblocking);
    fn MPI_Ireduce_scatter_block / mpi_ireduce_scatter_block (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: Count, In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(ReduceScatterBlock, Nonblocking);
    fn MPI_Ireduce_scatter_block_c / mpi_ireduce_scatter_block_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: LargeCount, In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(ReduceScatterBlock, Nonblocking);
    fn MPI_Ireduce_scatter / mpi_ireduce_scatter (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: Count[local_size], In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(ReduceScatter, Nonblocking);
    fn MPI_Ireduce_scatter_c / mpi_ireduce_scatter_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: LargeCount[local_size], In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(ReduceScatter, Nonblocking);
    fn MPI_Iscan / mpi_iscan (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In comm: Comm, Out request: Request) -> Code : Collective(Scan, Nonblocking);
    fn MPI_Iscan_c / mpi_iscan_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request) -> Code : Collective(Scan, Nonblocking);
    fn MPI_Iexscan / mpi_iexscan (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In comm: Comm, Out request: Request) -> Code : Collective(Exscan, Nonblocking);
    fn MPI_Iexscan_c / mpi_iexscan_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm, Out request: Request)
        -> Code : Collective(Exscan, Nonblocking);

    // 6.13  Persistent
    fn MPI_Barrier_init / mpi_barrier_init (In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Barrier, Persistent);
    fn MPI_Bcast_init / mpi_bcast_init (InOut buffer: Buf, In count: Count, In datatype: Datatype, In root: Root,
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Bcast, Persistent);
    fn MPI_Bcast_init_c / mpi_bcast_init_c (InOut buffer: Buf, In count: LargeCount, In datatype: Datatype,
        In root: Root, In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Bcast, Persistent);
    fn MPI_Gather_init / mpi_gather_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Gather, Persistent);
    fn MPI_Gather_init_c / mpi_gather_init_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In root: Root, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(Gather, Persistent);
    fn MPI_Gatherv_init / mpi_gatherv_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size at root], In displs: Int[comm_size at root],
        In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Gatherv, Persistent);
    fn MPI_Gatherv_init_c / mpi_gatherv_init_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size at root], In displs: Aint[comm_size at root],
        In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Gatherv, Persistent);
    fn MPI_Scatter_init / mpi_scatter_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Scatter, Persistent);
    fn MPI_Scatter_init_c / mpi_scatter_init_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In root: Root, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(Scatter, Persistent);
    fn MPI_Scatterv_init / mpi_scatterv_init (In sendbuf: SendBuf, In sendcounts: Count[comm_size at root],
        In displs: Int[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count,
        In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Scatterv, Persistent);
    fn MPI_Scatterv_init_c / mpi_scatterv_init_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size at root],
        In displs: Aint[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount,
        In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Scatterv, Persistent);
    fn MPI_Allgather_init / mpi_allgather_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Allgather, Persistent);
    fn MPI_Allgather_init_c / mpi_allgather_init_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(Allgather, Persistent);
    fn MPI_Allgatherv_init / mpi_allgatherv_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size], In displs: Int[comm_size], In recvtype: Datatype,
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Allgatherv, Persistent);
    fn MPI_Allgatherv_init_c / mpi_allgatherv_init_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size], In displs: Aint[comm_size],
        In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Allgatherv, Persistent);
    fn MPI_Alltoall_init / mpi_alltoall_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Alltoall, Persistent);
    fn MPI_Alltoall_init_c / mpi_alltoall_init_c (In sendbuf: SendBuf, In sendcount: LargeCount, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Alltoall, Persistent);
    fn MPI_Alltoallv_init / mpi_alltoallv_init (In sendbuf: SendBuf, In sendcounts: Count[comm_size],
        In sdispls: Int[comm_size], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[comm_size],
        In rdispls: Int[comm_size], In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Alltoallv, Persistent);
    fn MPI_Alltoallv_init_c / mpi_alltoallv_init_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size],
        In sdispls: Aint[comm_size], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[comm_size],
        In rdispls: Aint[comm_size], In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Alltoallv, Persistent);
    fn MPI_Alltoallw_init / mpi_alltoallw_init (In sendbuf: SendBuf, In sendcounts: Count[comm_size],
        In sdispls: Int[comm_size], In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf,
        In recvcounts: Count[comm_size], In rdispls: Int[comm_size], In recvtypes: Datatype[comm_size], In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(Alltoallw, Persistent);
    fn MPI_Alltoallw_init_c / mpi_alltoallw_init_c (In sendbuf: SendBuf, In sendcounts: LargeCount[comm_size],
        In sdispls: Aint[comm_size], In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf,
        In recvcounts: LargeCount[comm_size], In rdispls: Aint[comm_size], In recvtypes: Datatype[comm_size],
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Alltoallw, Persistent);
    fn MPI_Reduce_init / mpi_reduce_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Reduce, Persistent);
    fn MPI_Reduce_init_c / mpi_reduce_init_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Reduce, Persistent);
    fn MPI_Allreduce_init / mpi_allreduce_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Allreduce, Persistent);
    fn MPI_Allreduce_init_c / mpi_allreduce_init_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Allreduce, Persistent);
    fn MPI_Reduce_scatter_block_init / mpi_reduce_scatter_block_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: Count, In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(ReduceScatterBlock, Persistent);
    fn MPI_Reduce_scatter_block_init_c / mpi_reduce_scatter_block_init_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: LargeCount, In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(ReduceScatterBlock, Persistent);
    fn MPI_Reduce_scatter_init / mpi_reduce_scatter_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: Count[local_size], In datatype: Datatype, In op: Op, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(ReduceScatter, Persistent);
    fn MPI_Reduce_scatter_init_c / mpi_reduce_scatter_init_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: LargeCount[local_size], In datatype: Datatype, In op: Op, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(ReduceScatter, Persistent);
    fn MPI_Scan_init / mpi_scan_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count, In datatype: Datatype,
        In op: Op, In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Scan, Persistent);
    fn MPI_Scan_init_c / mpi_scan_init_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Scan, Persistent);
    fn MPI_Exscan_init / mpi_exscan_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Exscan, Persistent);
    fn MPI_Exscan_init_c / mpi_exscan_init_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Exscan, Persistent);

    // ---- 7 Groups, contexts, communicators, caching ----

    // 7.3  Groups
    fn MPI_Group_size / mpi_group_size (In group: Group, Out size: Int) -> Code : Local;
    fn MPI_Group_rank / mpi_group_rank (In group: Group, Out rank: Rank) -> Code : Local;
    fn MPI_Group_translate_ranks / mpi_group_translate_ranks (In group1: Group, In n: Count, In ranks1: Rank[n],
        In group2: Group, Out ranks2: Rank[n]) -> Code : Local;
    fn MPI_Group_compare / mpi_group_compare (In group1: Group, In group2: Group, Out result: Const) -> Code : Local;
    fn MPI_Comm_group / mpi_comm_group (In comm: Comm, Out group: Group) -> Code : Create;
    fn MPI_Group_union / mpi_group_union (In group1: Group, In group2: Group, Out newgroup: Group) -> Code : Create;
    fn MPI_Group_intersection / mpi_group_intersection (In group1: Group, In group2: Group, Out newgroup: Group)
        -> Code : Create;
    fn MPI_Group_difference / mpi_group_difference (In group1: Group, In group2: Group, Out newgroup: Group)
        -> Code : Create;
    fn MPI_Group_incl / mpi_group_incl (In group: Group, In n: Count, In ranks: Rank[n], Out newgroup: Group)
        -> Code : Create;
    fn MPI_Group_excl / mpi_group_excl (In group: Group, In n: Count, In ranks: Rank[n], Out newgroup: Group)
        -> Code : Create;
    fn MPI_Group_range_incl / mpi_group_range_incl (In group: Group, In n: Count, In ranges: Int[3*n],
        Out newgroup: Group) -> Code : Create;
    fn MPI_Group_range_excl / mpi_group_range_excl (In group: Group, In n: Count, In ranges: Int[3*n],
        Out newgroup: Group) -> Code : Create;
    fn MPI_Group_from_session_pset / mpi_group_from_session_pset (In session: Session, In pset_name: Str,
        Out newgroup: Group) -> Code : Create;
    fn MPI_Group_free / mpi_group_free (InOut group: Group) -> Code : Free;

    // 7.4  Communicators
    fn MPI_Comm_size / mpi_comm_size (In comm: Comm, Out size: Int) -> Code : Local;
    fn MPI_Comm_rank / mpi_comm_rank (In comm: Comm, Out rank: Rank) -> Code : Local;
    fn MPI_Comm_compare / mpi_comm_compare (In comm1: Comm, In comm2: Comm, Out result: Const) -> Code : Local;
    fn MPI_Comm_dup / mpi_comm_dup (In comm: Comm, Out newcomm: Comm) -> Code : Collective(CommDup, Blocking);
    fn MPI_Comm_dup_with_info / mpi_comm_dup_with_info (In comm: Comm, In info: Info, Out newcomm: Comm)
        -> Code : Collective(CommDupWithInfo, Blocking);
    fn MPI_Comm_idup / mpi_comm_idup (In comm: Comm, Out newcomm: Comm, Out request: Request)
        -> Code : Collective(CommDup, Nonblocking);
    fn MPI_Comm_idup_with_info / mpi_comm_idup_with_info (In comm: Comm, In info: Info, Out newcomm: Comm,
        Out request: Request) -> Code : Collective(CommDupWithInfo, Nonblocking);
    fn MPI_Comm_create / mpi_comm_create (In comm: Comm, In group: Group, Out newcomm: Comm)
        -> Code : Collective(CommCreate, Blocking);
    fn MPI_Comm_create_group / mpi_comm_create_group (In comm: Comm, In group: Group, In tag: Tag, Out newcomm: Comm)
        -> Code : CommCreateGroup;
    fn MPI_Comm_split / mpi_comm_split (In comm: Comm, In color: Color, In key: Int, Out newcomm: Comm)
        -> Code : Collective(CommSplit, Blocking);
    fn MPI_Comm_split_type / mpi_comm_split_type (In comm: Comm, In split_type: Const, In key: Int, In info: Info,
        Out newcomm: Comm) -> Code : Collective(CommSplitType, Blocking);
    fn MPI_Comm_create_from_group / mpi_comm_create_from_group (In group: Group, In stringtag: Str, In info: Info,
        In errhandler: Errhandler, Out newcomm: Comm) -> Code : CommFromGroup;
    fn MPI_Comm_free / mpi_comm_free (InOut comm: Comm) -> Code : Collective(CommFree, Blocking);
    fn MPI_Comm_set_info / mpi_comm_set_info (In comm: Comm, In info: Info) -> Code : Collective(CommSetInfo, Blocking);
    fn MPI_Comm_get_info / mpi_comm_get_info (In comm: Comm, Out info_used: Info) -> Code : Create;

    // 7.6  Intercommunicators
    fn MPI_Comm_test_inter / mpi_comm_test_inter (In comm: Comm, Out flag: Flag) -> Code : Local;
    fn MPI_Comm_remote_size / mpi_comm_remote_size (In comm: Comm, Out size: Int) -> Code : Local;
    fn MPI_Comm_remote_group / mpi_comm_remote_group (In comm: Comm, Out group: Group) -> Code : Create;
    fn MPI_Intercomm_create / mpi_intercomm_create (In local_comm: Comm, In local_leader: Rank, In peer_comm: Comm,
        In remote_leader: Rank, In tag: Tag, Out newintercomm: Comm) -> Code : IntercommCreate;
    fn MPI_Intercomm_create_from_groups / mpi_intercomm_create_from_groups (In local_group: Group,
        In local_leader: Rank, In remote_group: Group, In remote_leader: Rank, In stringtag: Str, In info: Info,
        In errhandler: Errhandler, Out newintercomm: Comm) -> Code : IntercommFromGroups;
    fn MPI_Intercomm_merge / mpi_intercomm_merge (In intercomm: Comm, In high: Flag, Out newintracomm: Comm)
        -> Code : Collective(IntercommMerge, Blocking);

    // 7.7  Caching
    fn MPI_Comm_create_keyval / mpi_comm_create_keyval (In comm_copy_attr_fn: Callback,
        In comm_delete_attr_fn: Callback, Out comm_keyval: Keyval, In extra_state: Pointer) -> Code : Create;
    fn MPI_Comm_free_keyval / mpi_comm_free_keyval (InOut comm_keyval: Keyval) -> Code : Free;
    fn MPI_Comm_set_attr / mpi_comm_set_attr (In comm: Comm, In comm_keyval: Keyval, In attribute_val: Pointer)
        -> Code : Local;
    fn MPI_Comm_get_attr / mpi_comm_get_attr (In comm: Comm, In comm_keyval: Keyval, Out attribute_val: Pointer,
        Out flag: Flag) -> Code : Local;
    fn MPI_Comm_delete_attr / mpi_comm_delete_attr (In comm: Comm, In comm_keyval: Keyval) -> Code : Local;
    fn MPI_Win_create_keyval / mpi_win_create_keyval (In win_copy_attr_fn: Callback, In win_delete_attr_fn: Callback,
        Out win_keyval: Keyval, In extra_state: Pointer) -> Code : Create;
    fn MPI_Win_free_keyval / mpi_win_free_keyval (InOut win_keyval: Keyval) -> Code : Free;
    fn MPI_Win_set_attr / mpi_win_set_attr (In win: Win, In win_keyval: Keyval, In attribute_val: Pointer)
        -> Code : Local;
    fn MPI_Win_get_attr / mpi_win_get_attr (In win: Win, In win_keyval: Keyval, Out attribute_val: Pointer,
        Out flag: Flag) -> Code : Local;
    fn MPI_Win_delete_attr / mpi_win_delete_attr (In win: Win, In win_keyval: Keyval) -> Code : Local;
    fn MPI_Type_create_keyval / mpi_type_create_keyval (In type_copy_attr_fn: Callback,
        In type_delete_attr_fn: Callback, Out type_keyval: Keyval, In extra_state: Pointer) -> Code : Create;
    fn MPI_Type_free_keyval / mpi_type_free_keyval (InOut type_keyval: Keyval) -> Code : Free;
    fn MPI_Type_set_attr / mpi_type_set_attr (In datatype: Datatype, In type_keyval: Keyval, In attribute_val: Pointer)
        -> Code : Local;
    fn MPI_Type_get_attr / mpi_type_get_attr (In datatype: Datatype, In type_keyval: Keyval, Out attribute_val: Pointer,
        Out flag: Flag) -> Code : Local;
    fn MPI_Type_delete_attr / mpi_type_delete_attr (In datatype: Datatype, In type_keyval: Keyval) -> Code : Local;

    // 7.8  Naming
    fn MPI_Comm_set_name / mpi_comm_set_name (In comm: Comm, In comm_name: Str) -> Code : Local;
    fn MPI_Comm_get_name / mpi_comm_get_name (In comm: Comm, Out comm_name: Str[*resultlen], Out resultlen: Int)
        -> Code : Local;
    fn MPI_Type_set_name / mpi_type_set_name (In datatype: Datatype, In type_name: Str) -> Code : Local;
    fn MPI_Type_get_name / mpi_type_get_name (In datatype: Datatype, Out type_name: Str[*resultlen], Out resultlen: Int)
        -> Code : Local;
    fn MPI_Win_set_name / mpi_win_set_name (In win: Win, In win_name: Str) -> Code : Local;
    fn MPI_Win_get_name / mpi_win_get_name (In win: Win, Out win_name: Str[*resultlen], Out resultlen: Int)
        -> Code : Local;

    // ---- 8 Virtual topologies ----

    fn MPI_Cart_create / mpi_cart_create (In comm_old: Comm, In ndims: Count, In dims: Int[ndims],
        In periods: Flag[ndims], In reorder: Flag, Out comm_cart: Comm) -> Code : Collective(CartCreate, Blocking);
    fn MPI_Dims_create / mpi_dims_create (In nnodes: Int, In ndims: Count, InOut dims: Int[ndims]) -> Code : Local;
    fn MPI_Graph_create / mpi_graph_create (In comm_old: Comm, In nnodes: Count, In index: Int[nnodes],
        In edges: Rank[last(index)], In reorder: Flag, Out comm_graph: Comm)
        -> Code : Collective(GraphCreate, Blocking);
    fn MPI_Dist_graph_create_adjacent / mpi_dist_graph_create_adjacent (In comm_old: Comm, In indegree: Count,
        In sources: Rank[indegree], In sourceweights: Int[indegree], In outdegree: Count,
        In destinations: Rank[outdegree], In destweights: Int[outdegree], In info: Info, In reorder: Flag,
        Out comm_dist_graph: Comm) -> Code : Collective(DistGraphCreateAdjacent, Blocking);
    fn MPI_Dist_graph_create / mpi_dist_graph_create (In comm_old: Comm, In n: Count, In sources: Rank[n],
        In degrees: Count[n], In destinations: Rank[sum(degrees)], In weights: Int[sum(degrees)], In info: Info,
        In reorder: Flag, Out comm_dist_graph: Comm) -> Code : Collective(DistGraphCreate, Blocking);
    fn MPI_Topo_test / mpi_topo_test (In comm: Comm, Out status: Const) -> Code : Local;
    fn MPI_Graphdims_get / mpi_graphdims_get (In comm: Comm, Out nnodes: Count, Out nedges: Int) -> Code : Local;
    fn MPI_Graph_get / mpi_graph_get (In comm: Comm, In maxindex: Count, In maxedges: Count, Out index: Int[maxindex],
        Out edges: Rank[maxedges]) -> Code : Local;
    fn MPI_Cartdim_get / mpi_cartdim_get (In comm: Comm, Out ndims: Count) -> Code : Local;
    fn MPI_Cart_get / mpi_cart_get (In comm: Comm, In maxdims: Count, Out dims: Int[maxdims],
        Out periods: Flag[maxdims], Out coords: Int[maxdims]) -> Code : Local;
    fn MPI_Cart_rank / mpi_cart_rank (In comm: Comm, In coords: Int[cart_ndims], Out rank: Rank) -> Code : Local;
    fn MPI_Cart_coords / mpi_cart_coords (In comm: Comm, In rank: Rank, In maxdims: Count, Out coords: Int[maxdims])
        -> Code : Local;
    fn MPI_Graph_neighbors_count / mpi_graph_neighbors_count (In comm: Comm, In rank: Rank, Out nneighbors: Int)
        -> Code : Local;
    fn MPI_Graph_neighbors / mpi_graph_neighbors (In comm: Comm, In rank: Rank, In maxneighbors: Count,
        Out neighbors: Rank[maxneighbors]) -> Code : Local;
    fn MPI_Dist_graph_neighbors_count / mpi_dist_graph_neighbors_count (In comm: Comm, Out indegree: Count,
        Out outdegree: Count, Out weighted: Flag) -> Code : Local;
    fn MPI_Dist_graph_neighbors / mpi_dist_graph_neighbors (In comm: Comm, In maxindegree: Count,
        Out sources: Rank[maxindegree], Out sourceweights: Int[maxindegree], In maxoutdegree: Count,
        Out destinations: Rank[maxoutdegree], Out destweights: Int[maxoutdegree]) -> Code : Local;
    fn MPI_Cart_shift / mpi_cart_shift (In comm: Comm, In direction: Int, In disp: Int, Out rank_source: Rank,
        Out rank_dest: Rank) -> Code : Local;
    fn MPI_Cart_sub / mpi_cart_sub (In comm: Comm, In remain_dims: Flag[cart_ndims], Out newcomm: Comm)
        -> Code : Collective(CartSub, Blocking);
    fn MPI_Cart_map / mpi_cart_map (In comm: Comm, In ndims: Count, In dims: Int[ndims], In periods: Flag[ndims],
        Out newrank: Rank) -> Code : Local;
    fn MPI_Graph_map / mpi_graph_map (In comm: Comm, In nnodes: Count, In index: Int[nnodes],
        In edges: Rank[last(index)], Out newrank: Rank) -> Code : Local;

    // 8.6  Neighbourhood collectives, blocking
    fn MPI_Neighbor_allgather / mpi_neighbor_allgather (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(NeighborAllgather, Blocking);
    fn MPI_Neighbor_allgather_c / mpi_neighbor_allgather_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(NeighborAllgather, Blocking);
    fn MPI_Neighbor_allgatherv / mpi_neighbor_allgatherv (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In displs: Int[in_neighbors],
        In recvtype: Datatype, In comm: Comm) -> Code : Collective(NeighborAllgatherv, Blocking);
    fn MPI_Neighbor_allgatherv_c / mpi_neighbor_allgatherv_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors],
        In displs: Aint[in_neighbors], In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(NeighborAllgatherv, Blocking);
    fn MPI_Neighbor_alltoall / mpi_neighbor_alltoall (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(NeighborAlltoall, Blocking);
    fn MPI_Neighbor_alltoall_c / mpi_neighbor_alltoall_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(NeighborAlltoall, Blocking);
    fn MPI_Neighbor_alltoallv / mpi_neighbor_alltoallv (In sendbuf: SendBuf, In sendcounts: Count[out_neighbors],
        In sdispls: Int[out_neighbors], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors],
        In rdispls: Int[in_neighbors], In recvtype: Datatype, In comm: Comm)
        -> Code : Collective(NeighborAlltoallv, Blocking);
    fn MPI_Neighbor_alltoallv_c / mpi_neighbor_alltoallv_c (In sendbuf: SendBuf,
        In sendcounts: LargeCount[out_neighbors], In sdispls: Aint[out_neighbors], In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors], In rdispls: Aint[in_neighbors],
        In recvtype: Datatype, In comm: Comm) -> Code : Collective(NeighborAlltoallv, Blocking);
    fn MPI_Neighbor_alltoallw / mpi_neighbor_alltoallw (In sendbuf: SendBuf, In sendcounts: Count[out_neighbors],
        In sdispls: Aint[out_neighbors], In sendtypes: Datatype[out_neighbors], Out recvbuf: RecvBuf,
        In recvcounts: Count[in_neighbors], In rdispls: Aint[in_neighbors], In recvtypes: Datatype[in_neighbors],
        In comm: Comm) -> Code : Collective(NeighborAlltoallw, Blocking);
    fn MPI_Neighbor_alltoallw_c / mpi_neighbor_alltoallw_c (In sendbuf: SendBuf,
        In sendcounts: LargeCount[out_neighbors], In sdispls: Aint[out_neighbors],
        In sendtypes: Datatype[out_neighbors], Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors],
        In rdispls: Aint[in_neighbors], In recvtypes: Datatype[in_neighbors], In comm: Comm)
        -> Code : Collective(NeighborAlltoallw, Blocking);

    // 8.7  Neighbourhood collectives, nonblocking
    fn MPI_Ineighbor_allgather / mpi_ineighbor_allgather (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm,
        Out request: Request) -> Code : Collective(NeighborAllgather, Nonblocking);
    fn MPI_Ineighbor_allgather_c / mpi_ineighbor_allgather_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm,
        Out request: Request) -> Code : Collective(NeighborAllgather, Nonblocking);
    fn MPI_Ineighbor_allgatherv / mpi_ineighbor_allgatherv (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In displs: Int[in_neighbors],
        In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(NeighborAllgatherv, Nonblocking);
    fn MPI_Ineighbor_allgatherv_c / mpi_ineighbor_allgatherv_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors],
        In displs: Aint[in_neighbors], In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(NeighborAllgatherv, Nonblocking);
    fn MPI_Ineighbor_alltoall / mpi_ineighbor_alltoall (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(NeighborAlltoall, Nonblocking);
    fn MPI_Ineighbor_alltoall_c / mpi_ineighbor_alltoall_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm,
        Out request: Request) -> Code : Collective(NeighborAlltoall, Nonblocking);
    fn MPI_Ineighbor_alltoallv / mpi_ineighbor_alltoallv (In sendbuf: SendBuf, In sendcounts: Count[out_neighbors],
        In sdispls: Int[out_neighbors], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors],
        In rdispls: Int[in_neighbors], In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(NeighborAlltoallv, Nonblocking);
    fn MPI_Ineighbor_alltoallv_c / mpi_ineighbor_alltoallv_c (In sendbuf: SendBuf,
        In sendcounts: LargeCount[out_neighbors], In sdispls: Aint[out_neighbors], In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors], In rdispls: Aint[in_neighbors],
        In recvtype: Datatype, In comm: Comm, Out request: Request)
        -> Code : Collective(NeighborAlltoallv, Nonblocking);
    fn MPI_Ineighbor_alltoallw / mpi_ineighbor_alltoallw (In sendbuf: SendBuf, In sendcounts: Count[out_neighbors],
        In sdispls: Aint[out_neighbors], In sendtypes: Datatype[out_neighbors], Out recvbuf: RecvBuf,
        In recvcounts: Count[in_neighbors], In rdispls: Aint[in_neighbors], In recvtypes: Datatype[in_neighbors],
        In comm: Comm, Out request: Request) -> Code : Collective(NeighborAlltoallw, Nonblocking);
    fn MPI_Ineighbor_alltoallw_c / mpi_ineighbor_alltoallw_c (In sendbuf: SendBuf,
        In sendcounts: LargeCount[out_neighbors], In sdispls: Aint[out_neighbors],
        In sendtypes: Datatype[out_neighbors], Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors],
        In rdispls: Aint[in_neighbors], In recvtypes: Datatype[in_neighbors], In comm: Comm, Out request: Request)
        -> Code : Collective(NeighborAlltoallw, Nonblocking);

    // 8.8  Neighbourhood collectives, persistent
    fn MPI_Neighbor_allgather_init / mpi_neighbor_allgather_init (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(NeighborAllgather, Persistent);
    fn MPI_Neighbor_allgather_init_c / mpi_neighbor_allgather_init_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(NeighborAllgather, Persistent);
    fn MPI_Neighbor_allgatherv_init / mpi_neighbor_allgatherv_init (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In displs: Int[in_neighbors],
        In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(NeighborAllgatherv, Persistent);
    fn MPI_Neighbor_allgatherv_init_c / mpi_neighbor_allgatherv_init_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors],
        In displs: Aint[in_neighbors], In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(NeighborAllgatherv, Persistent);
    fn MPI_Neighbor_alltoall_init / mpi_neighbor_alltoall_init (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(NeighborAlltoall, Persistent);
    fn MPI_Neighbor_alltoall_init_c / mpi_neighbor_alltoall_init_c (In sendbuf: SendBuf, In sendcount: LargeCount,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: LargeCount, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(NeighborAlltoall, Persistent);
    fn MPI_Neighbor_alltoallv_init / mpi_neighbor_alltoallv_init (In sendbuf: SendBuf,
        In sendcounts: Count[out_neighbors], In sdispls: Int[out_neighbors], In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In rdispls: Int[in_neighbors], In recvtype: Datatype,
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(NeighborAlltoallv, Persistent);
    fn MPI_Neighbor_alltoallv_init_c / mpi_neighbor_alltoallv_init_c (In sendbuf: SendBuf,
        In sendcounts: LargeCount[out_neighbors], In sdispls: Aint[out_neighbors], In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors], In rdispls: Aint[in_neighbors],
        In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(NeighborAlltoallv, Persistent);
    fn MPI_Neighbor_alltoallw_init / mpi_neighbor_alltoallw_init (In sendbuf: SendBuf,
        In sendcounts: Count[out_neighbors], In sdispls: Aint[out_neighbors], In sendtypes: Datatype[out_neighbors],
        Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In rdispls: Aint[in_neighbors],
        In recvtypes: Datatype[in_neighbors], In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(NeighborAlltoallw, Persistent);
    fn MPI_Neighbor_alltoallw_init_c / mpi_neighbor_alltoallw_init_c (In sendbuf: SendBuf,
        In sendcounts: LargeCount[out_neighbors], In sdispls: Aint[out_neighbors],
        In sendtypes: Datatype[out_neighbors], Out recvbuf: RecvBuf, In recvcounts: LargeCount[in_neighbors],
        In rdispls: Aint[in_neighbors], In recvtypes: Datatype[in_neighbors], In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(NeighborAlltoallw, Persistent);

    // ---- 9 Environmental management ----

    fn MPI_Get_version / mpi_get_version (Out version: Int, Out subversion: Int) -> Code : Local;
    fn MPI_Get_library_version / mpi_get_library_version (Out version: Str[*resultlen], Out resultlen: Int)
        -> Code : Local;
    fn MPI_Get_processor_name / mpi_get_processor_name (Out name: Str[*resultlen], Out resultlen: Int) -> Code : Local;
    fn MPI_Get_hw_resource_info / mpi_get_hw_resource_info (Out hw_info: Info) -> Code : Create;
    fn MPI_Alloc_mem / mpi_alloc_mem (In size: Aint, In info: Info, Out baseptr: Pointer) -> Code : Local;
    fn MPI_Free_mem / mpi_free_mem (In base: Pointer) -> Code : Local;

    // 9.3  Error handling. A get_errhandler gives a handle to be freed, or a predefined one
    fn MPI_Comm_create_errhandler / mpi_comm_create_errhandler (In comm_errhandler_fn: Callback,
        Out errhandler: Errhandler) -> Code : Create;
    fn MPI_Comm_set_errhandler / mpi_comm_set_errhandler (In comm: Comm, In errhandler: Errhandler) -> Code : Local;
    fn MPI_Comm_get_errhandler / mpi_comm_get_errhandler (In comm: Comm, Out errhandler: Errhandler) -> Code : Create;
    fn MPI_Win_create_errhandler / mpi_win_create_errhandler (In win_errhandler_fn: Callback,
        Out errhandler: Errhandler) -> Code : Create;
    fn MPI_Win_set_errhandler / mpi_win_set_errhandler (In win: Win, In errhandler: Errhandler) -> Code : Local;
    fn MPI_Win_get_errhandler / mpi_win_get_errhandler (In win: Win, Out errhandler: Errhandler) -> Code : Create;
    fn MPI_File_create_errhandler / mpi_file_create_errhandler (In file_errhandler_fn: Callback,
        Out errhandler: Errhandler) -> Code : Create;
    fn MPI_File_set_errhandler / mpi_file_set_errhandler (In file: File, In errhandler: Errhandler) -> Code : Local;
    fn MPI_File_get_errhandler / mpi_file_get_errhandler (In file: File, Out errhandler: Errhandler) -> Code : Create;
    fn MPI_Session_create_errhandler / mpi_session_create_errhandler (In session_errhandler_fn: Callback,
        Out errhandler: Errhandler) -> Code : Create;
    fn MPI_Session_set_errhandler / mpi_session_set_errhandler (In session: Session, In errhandler: Errhandler)
        -> Code : Local;
    fn MPI_Session_get_errhandler / mpi_session_get_errhandler (In session: Session, Out errhandler: Errhandler)
        -> Code : Create;
    fn MPI_Errhandler_free / mpi_errhandler_free (InOut errhandler: Errhandler) -> Code : Free;
    fn MPI_Error_string / mpi_error_string (In errorcode: ErrorCode, Out string: Str[*resultlen], Out resultlen: Int)
        -> Code : Local;
    fn MPI_Error_class / mpi_error_class (In errorcode: ErrorCode, Out errorclass: ErrorCode) -> Code : Local;
    fn MPI_Add_error_class / mpi_add_error_class (Out errorclass: ErrorCode) -> Code : Local;
    fn MPI_Remove_error_class / mpi_remove_error_class (In errorclass: ErrorCode) -> Code : Local;
    fn MPI_Add_error_code / mpi_add_error_code (In errorclass: ErrorCode, Out errorcode: ErrorCode) -> Code : Local;
    fn MPI_Remove_error_code / mpi_remove_error_code (In errorcode: ErrorCode) -> Code : Local;
    fn MPI_Add_error_string / mpi_add_error_string (In errorcode: ErrorCode, In string: Str) -> Code : Local;
    fn MPI_Remove_error_string / mpi_remove_error_string (In errorcode: ErrorCode) -> Code : Local;
    fn MPI_Comm_call_errhandler / mpi_comm_call_errhandler (In comm: Comm, In errorcode: ErrorCode) -> Code : Local;
    fn MPI_Win_call_errhandler / mpi_win_call_errhandler (In win: Win, In errorcode: ErrorCode) -> Code : Local;
    fn MPI_File_call_errhandler / mpi_file_call_errhandler (In fh: File, In errorcode: ErrorCode) -> Code : Local;
    fn MPI_Session_call_errhandler / mpi_session_call_errhandler (In session: Session, In errorcode: ErrorCode)
        -> Code : Local;

    // 9.6  Timers
    fn MPI_Wtime / mpi_wtime () -> Double : Local;
    fn MPI_Wtick / mpi_wtick () -> Double : Local;

    // ---- 10 The info object ----

    fn MPI_Info_create / mpi_info_create (Out info: Info) -> Code : Create;
    // Fortran has no arguments here, and some bindings pass an address that is none: no library follows it
    fn MPI_Info_create_env / mpi_info_create_env (In argc: Int, In argv: Opaque, Out info: Info) -> Code : Create;
    fn MPI_Info_dup / mpi_info_dup (In info: Info, Out newinfo: Info) -> Code : Create;
    fn MPI_Info_free / mpi_info_free (InOut info: Info) -> Code : Free;
    fn MPI_Info_set / mpi_info_set (In info: Info, In key: Str, In value: Str) -> Code : Local;
    fn MPI_Info_delete / mpi_info_delete (In info: Info, In key: Str) -> Code : Local;
    fn MPI_Info_get_string / mpi_info_get_string (In info: Info, In key: Str, InOut buflen: Int,
        Out value: Str[*buflen], Out flag: Flag) -> Code : Local;
    fn MPI_Info_get_nkeys / mpi_info_get_nkeys (In info: Info, Out nkeys: Int) -> Code : Local;
    fn MPI_Info_get_nthkey / mpi_info_get_nthkey (In info: Info, In n: Count, Out key: Str) -> Code : Local;

    // ---- 11 Process initialization, creation, and management ----

    // 11.2  The world model
    fn MPI_Init / mpi_init (InOut argc: Int, InOut argv: StrArrays) -> Code : Init;
    fn MPI_Init_thread / mpi_init_thread (InOut argc: Int, InOut argv: StrArrays, In required: Const,
        Out provided: Const) -> Code : Init;
    fn MPI_Initialized / mpi_initialized (Out flag: Flag) -> Code : Local;
    fn MPI_Finalize / mpi_finalize () -> Code : Finalize;
    fn MPI_Finalized / mpi_finalized (Out flag: Flag) -> Code : Local;
    fn MPI_Abort / mpi_abort (In comm: Comm, In errorcode: ErrorCode) -> Code : Abort;
    fn MPI_Query_thread / mpi_query_thread (Out provided: Const) -> Code : Local;
    fn MPI_Is_thread_main / mpi_is_thread_main (Out flag: Flag) -> Code : Local;

    // 11.3  The sessions model
    fn MPI_Session_init / mpi_session_init (In info: Info, In errhandler: Errhandler, Out session: Session)
        -> Code : SessionInit;
    fn MPI_Session_finalize / mpi_session_finalize (InOut session: Session) -> Code : SessionFinalize;
    fn MPI_Session_get_num_psets / mpi_session_get_num_psets (In session: Session, In info: Info, Out npset_names: Int)
        -> Code : Local;
    fn MPI_Session_get_nth_pset / mpi_session_get_nth_pset (In session: Session, In info: Info, In n: Int,
        InOut pset_len: Int, Out pset_name: Str[*pset_len]) -> Code : Local;
    fn MPI_Session_get_info / mpi_session_get_info (In session: Session, Out info_used: Info) -> Code : Create;
    fn MPI_Session_set_info / mpi_session_set_info (In session: Session, In info: Info) -> Code : Local;
    fn MPI_Session_get_pset_info / mpi_session_get_pset_info (In session: Session, In pset_name: Str, Out info: Info)
        -> Code : Create;

    // 11.7 - 11.10  Dynamic processes
    fn MPI_Comm_spawn / mpi_comm_spawn (In command: Str[1 at root], In argv: StrArray[1 at root], In maxprocs: Count,
        In info: Info, In root: Root, In comm: Comm, Out intercomm: Comm,
        Out array_of_errcodes: ErrorCode[maxprocs at root]) -> Code : Collective(CommSpawn, Blocking);
    fn MPI_Comm_spawn_multiple / mpi_comm_spawn_multiple (In count: Count, In array_of_commands: StrArray[count at root],
        In array_of_argv: StrArrays, In array_of_maxprocs: Count[count at root], In array_of_info: Info[count at root],
        In root: Root, In comm: Comm, Out intercomm: Comm,
        Out array_of_errcodes: ErrorCode[sum(array_of_maxprocs) at root])
        -> Code : Collective(CommSpawnMultiple, Blocking);
    fn MPI_Comm_get_parent / mpi_comm_get_parent (Out parent: Comm) -> Code : Local;
    fn MPI_Open_port / mpi_open_port (In info: Info, Out port_name: Str) -> Code : Local;
    fn MPI_Close_port / mpi_close_port (In port_name: Str) -> Code : Local;
    fn MPI_Comm_accept / mpi_comm_accept (In port_name: Str[1 at root], In info: Info, In root: Root, In comm: Comm,
        Out newcomm: Comm) -> Code : Collective(CommAccept, Blocking);
    fn MPI_Comm_connect / mpi_comm_connect (In port_name: Str[1 at root], In info: Info, In root: Root, In comm: Comm,
        Out newcomm: Comm) -> Code : Collective(CommConnect, Blocking);
    fn MPI_Publish_name / mpi_publish_name (In service_name: Str, In info: Info, In port_name: Str) -> Code : Local;
    fn MPI_Unpublish_name / mpi_unpublish_name (In service_name: Str, In info: Info, In port_name: Str) -> Code : Local;
    fn MPI_Lookup_name / mpi_lookup_name (In service_name: Str, In info: Info, Out port_name: Str) -> Code : Local;
    fn MPI_Comm_disconnect / mpi_comm_disconnect (InOut comm: Comm) -> Code : Collective(CommDisconnect, Blocking);
    fn MPI_Comm_join / mpi_comm_join (In fd: Int, Out intercomm: Comm) -> Code : IntercommCreate;

    // ---- 12 One-sided communication ----

    // 12.2  Windows
    fn MPI_Win_create / mpi_win_create (InOut base: Buf, In size: Aint, In disp_unit: Int, In info: Info, In comm: Comm,
        Out win: Win) -> Code : Collective(WinCreate, Blocking);
    fn MPI_Win_create_c / mpi_win_create_c (InOut base: Buf, In size: Aint, In disp_unit: Aint, In info: Info,
        In comm: Comm, Out win: Win) -> Code : Collective(WinCreate, Blocking);
    fn MPI_Win_allocate / mpi_win_allocate (In size: Aint, In disp_unit: Int, In info: Info, In comm: Comm,
        Out baseptr: Pointer, Out win: Win) -> Code : Collective(WinAllocate, Blocking);
    fn MPI_Win_allocate_c / mpi_win_allocate_c (In size: Aint, In disp_unit: Aint, In info: Info, In comm: Comm,
        Out baseptr: Pointer, Out win: Win) -> Code : Collective(WinAllocate, Blocking);
    fn MPI_Win_allocate_shared / mpi_win_allocate_shared (In size: Aint, In disp_unit: Int, In info: Info,
        In comm: Comm, Out baseptr: Pointer, Out win: Win) -> Code : Collective(WinAllocateShared, Blocking);
    fn MPI_Win_allocate_shared_c / mpi_win_allocate_shared_c (In size: Aint, In disp_unit: Aint, In info: Info,
        In comm: Comm, Out baseptr: Pointer, Out win: Win) -> Code : Collective(WinAllocateShared, Blocking);
    fn MPI_Win_create_dynamic / mpi_win_create_dynamic (In info: Info, In comm: Comm, Out win: Win)
        -> Code : Collective(WinCreateDynamic, Blocking);
    fn MPI_Win_free / mpi_win_free (InOut win: Win) -> Code : Collective(WinFree, Blocking);
    fn MPI_Win_shared_query / mpi_win_shared_query (In win: Win, In rank: Rank, Out size: Aint, Out disp_unit: Int,
        Out baseptr: Pointer) -> Code : Local;
    fn MPI_Win_shared_query_c / mpi_win_shared_query_c (In win: Win, In rank: Rank, Out size: Aint, Out disp_unit: Aint,
        Out baseptr: Pointer) -> Code : Local;
    fn MPI_Win_attach / mpi_win_attach (In win: Win, InOut base: Buf, In size: Aint) -> Code : Local;
    fn MPI_Win_detach / mpi_win_detach (In win: Win, In base: Buf) -> Code : Local;
    fn MPI_Win_get_group / mpi_win_get_group (In win: Win, Out group: Group) -> Code : Create;
    fn MPI_Win_set_info / mpi_win_set_info (In win: Win, In info: Info) -> Code : Collective(WinSetInfo, Blocking);
    fn MPI_Win_get_info / mpi_win_get_info (In win: Win, Out info_used: Info) -> Code : Create;

    // 12.3  Data access
    fn MPI_Put / mpi_put (In origin_addr: SendBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In win: Win)
        -> Code : Rma;
    fn MPI_Put_c / mpi_put_c (In origin_addr: SendBuf, In origin_count: LargeCount, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount, In target_datatype: Datatype,
        In win: Win) -> Code : Rma;
    fn MPI_Get / mpi_get (Out origin_addr: RecvBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In win: Win)
        -> Code : Rma;
    fn MPI_Get_c / mpi_get_c (Out origin_addr: RecvBuf, In origin_count: LargeCount, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount, In target_datatype: Datatype,
        In win: Win) -> Code : Rma;
    fn MPI_Accumulate / mpi_accumulate (In origin_addr: SendBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In op: Op,
        In win: Win) -> Code : Rma;
    fn MPI_Accumulate_c / mpi_accumulate_c (In origin_addr: SendBuf, In origin_count: LargeCount,
        In origin_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount,
        In target_datatype: Datatype, In op: Op, In win: Win) -> Code : Rma;
    fn MPI_Get_accumulate / mpi_get_accumulate (In origin_addr: SendBuf, In origin_count: Count,
        In origin_datatype: Datatype, Out result_addr: RecvBuf, In result_count: Count, In result_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In op: Op,
        In win: Win) -> Code : Rma;
    fn MPI_Get_accumulate_c / mpi_get_accumulate_c (In origin_addr: SendBuf, In origin_count: LargeCount,
        In origin_datatype: Datatype, Out result_addr: RecvBuf, In result_count: LargeCount,
        In result_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount,
        In target_datatype: Datatype, In op: Op, In win: Win) -> Code : Rma;
    fn MPI_Fetch_and_op / mpi_fetch_and_op (In origin_addr: SendBuf, Out result_addr: RecvBuf, In datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In op: Op, In win: Win) -> Code : Rma;
    fn MPI_Compare_and_swap / mpi_compare_and_swap (In origin_addr: SendBuf, In compare_addr: SendBuf,
        Out result_addr: RecvBuf, In datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In win: Win)
        -> Code : Rma;
    fn MPI_Rput / mpi_rput (In origin_addr: SendBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In win: Win,
        Out request: Request) -> Code : RmaRequest;
    fn MPI_Rput_c / mpi_rput_c (In origin_addr: SendBuf, In origin_count: LargeCount, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount, In target_datatype: Datatype,
        In win: Win, Out request: Request) -> Code : RmaRequest;
    fn MPI_Rget / mpi_rget (Out origin_addr: RecvBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In win: Win,
        Out request: Request) -> Code : RmaRequest;
    fn MPI_Rget_c / mpi_rget_c (Out origin_addr: RecvBuf, In origin_count: LargeCount, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount, In target_datatype: Datatype,
        In win: Win, Out request: Request) -> Code : RmaRequest;
    fn MPI_Raccumulate / mpi_raccumulate (In origin_addr: SendBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In op: Op,
        In win: Win, Out request: Request) -> Code : RmaRequest;
    fn MPI_Raccumulate_c / mpi_raccumulate_c (In origin_addr: SendBuf, In origin_count: LargeCount,
        In origin_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount,
        In target_datatype: Datatype, In op: Op, In win: Win, Out request: Request) -> Code : RmaRequest;
    fn MPI_Rget_accumulate / mpi_rget_accumulate (In origin_addr: SendBuf, In origin_count: Count,
        In origin_datatype: Datatype, Out result_addr: RecvBuf, In result_count: Count, In result_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype, In op: Op,
        In win: Win, Out request: Request) -> Code : RmaRequest;
    fn MPI_Rget_accumulate_c / mpi_rget_accumulate_c (In origin_addr: SendBuf, In origin_count: LargeCount,
        In origin_datatype: Datatype, Out result_addr: RecvBuf, In result_count: LargeCount,
        In result_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount,
        In target_datatype: Datatype, In op: Op, In win: Win, Out request: Request) -> Code : RmaRequest;

    // 12.5  Synchronization
    fn MPI_Win_fence / mpi_win_fence (In assert: Const, In win: Win) -> Code : Collective(WinFence, Blocking);
    fn MPI_Win_start / mpi_win_start (In group: Group, In assert: Const, In win: Win) -> Code : RmaSync(RmaStart);
    fn MPI_Win_complete / mpi_win_complete (In win: Win) -> Code : RmaSync(RmaComplete);
    fn MPI_Win_post / mpi_win_post (In group: Group, In assert: Const, In win: Win) -> Code : RmaSync(RmaPost);
    fn MPI_Win_wait / mpi_win_wait (In win: Win) -> Code : RmaSync(RmaWait);
    fn MPI_Win_test / mpi_win_test (In win: Win, Out flag: Flag) -> Code : RmaSync(RmaTest);
    fn MPI_Win_lock / mpi_win_lock (In lock_type: Const, In rank: Rank, In assert: Const, In win: Win)
        -> Code : RmaSync(Lock);
    fn MPI_Win_unlock / mpi_win_unlock (In rank: Rank, In win: Win) -> Code : RmaSync(Unlock);
    fn MPI_Win_lock_all / mpi_win_lock_all (In assert: Const, In win: Win) -> Code : RmaSync(LockAll);
    fn MPI_Win_unlock_all / mpi_win_unlock_all (In win: Win) -> Code : RmaSync(UnlockAll);
    fn MPI_Win_flush / mpi_win_flush (In rank: Rank, In win: Win) -> Code : RmaSync(Flush);
    fn MPI_Win_flush_all / mpi_win_flush_all (In win: Win) -> Code : RmaSync(FlushAll);
    fn MPI_Win_flush_local / mpi_win_flush_local (In rank: Rank, In win: Win) -> Code : RmaSync(FlushLocal);
    fn MPI_Win_flush_local_all / mpi_win_flush_local_all (In win: Win) -> Code : RmaSync(FlushLocalAll);
    fn MPI_Win_sync / mpi_win_sync (In win: Win) -> Code : RmaSync(Sync);

    // ---- 13 External interfaces ----

    fn MPI_Grequest_start / mpi_grequest_start (In query_fn: Callback, In free_fn: Callback, In cancel_fn: Callback,
        In extra_state: Pointer, Out request: Request) -> Code : GrequestStart;
    fn MPI_Grequest_complete / mpi_grequest_complete (In request: Request) -> Code : GrequestComplete;
    fn MPI_Status_set_elements / mpi_status_set_elements (InOut status: Status, In datatype: Datatype, In count: Count)
        -> Code : Local;
    fn MPI_Status_set_elements_c / mpi_status_set_elements_c (InOut status: Status, In datatype: Datatype,
        In count: LargeCount) -> Code : Local;
    fn MPI_Status_set_elements_x / mpi_status_set_elements_x (InOut status: Status, In datatype: Datatype,
        In count: LargeCount) -> Code : Local;
    fn MPI_Status_set_cancelled / mpi_status_set_cancelled (InOut status: Status, In flag: Flag) -> Code : Local;
    fn MPI_Status_set_source / mpi_status_set_source (InOut status: Status, In source: Rank) -> Code : Local;
    fn MPI_Status_set_tag / mpi_status_set_tag (InOut status: Status, In tag: Tag) -> Code : Local;
    fn MPI_Status_set_error / mpi_status_set_error (InOut status: Status, In err: ErrorCode) -> Code : Local;

    // ---- 14 I/O ----

    // 14.2  Files
    fn MPI_File_open / mpi_file_open (In comm: Comm, In filename: Str, In amode: Const, In info: Info, Out fh: File)
        -> Code : Collective(FileOpen, Blocking);
    fn MPI_File_close / mpi_file_close (InOut fh: File) -> Code : Collective(FileClose, Blocking);
    fn MPI_File_delete / mpi_file_delete (In filename: Str, In info: Info) -> Code : Local;
    fn MPI_File_set_size / mpi_file_set_size (In fh: File, In size: Offset) -> Code : Collective(FileSetSize, Blocking);
    fn MPI_File_preallocate / mpi_file_preallocate (In fh: File, In size: Offset)
        -> Code : Collective(FilePreallocate, Blocking);
    fn MPI_File_get_size / mpi_file_get_size (In fh: File, Out size: Offset) -> Code : Local;
    fn MPI_File_get_group / mpi_file_get_group (In fh: File, Out group: Group) -> Code : Create;
    fn MPI_File_get_amode / mpi_file_get_amode (In fh: File, Out amode: Const) -> Code : Local;
    fn MPI_File_set_info / mpi_file_set_info (In fh: File, In info: Info) -> Code : Collective(FileSetInfo, Blocking);
    fn MPI_File_get_info / mpi_file_get_info (In fh: File, Out info_used: Info) -> Code : Create;

    // 14.3  File views. File_get_view gives types to be freed
    fn MPI_File_set_view / mpi_file_set_view (In fh: File, In disp: Offset, In etype: Datatype, In filetype: Datatype,
        In datarep: Str, In info: Info) -> Code : Collective(FileSetView, Blocking);
    fn MPI_File_get_view / mpi_file_get_view (In fh: File, Out disp: Offset, Out etype: Datatype,
        Out filetype: Datatype, Out datarep: Str) -> Code : Create;

    // 14.4.2  Explicit offsets
    fn MPI_File_read_at / mpi_file_read_at (In fh: File, In offset: Offset, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_read_at_c / mpi_file_read_at_c (In fh: File, In offset: Offset, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_read_at_all / mpi_file_read_at_all (In fh: File, In offset: Offset, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileReadAtAll, Blocking);
    fn MPI_File_read_at_all_c / mpi_file_read_at_all_c (In fh: File, In offset: Offset, Out buf: RecvBuf,
        In count: LargeCount, In datatype: Datatype, Out status: Status) -> Code : Collective(FileReadAtAll, Blocking);
    fn MPI_File_write_at / mpi_file_write_at (In fh: File, In offset: Offset, In buf: SendBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_write_at_c / mpi_file_write_at_c (In fh: File, In offset: Offset, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_write_at_all / mpi_file_write_at_all (In fh: File, In offset: Offset, In buf: SendBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileWriteAtAll, Blocking);
    fn MPI_File_write_at_all_c / mpi_file_write_at_all_c (In fh: File, In offset: Offset, In buf: SendBuf,
        In count: LargeCount, In datatype: Datatype, Out status: Status) -> Code : Collective(FileWriteAtAll, Blocking);
    fn MPI_File_iread_at / mpi_file_iread_at (In fh: File, In offset: Offset, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iread_at_c / mpi_file_iread_at_c (In fh: File, In offset: Offset, Out buf: RecvBuf,
        In count: LargeCount, In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iread_at_all / mpi_file_iread_at_all (In fh: File, In offset: Offset, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out request: Request) -> Code : Collective(FileReadAtAll, Nonblocking);
    fn MPI_File_iread_at_all_c / mpi_file_iread_at_all_c (In fh: File, In offset: Offset, Out buf: RecvBuf,
        In count: LargeCount, In datatype: Datatype, Out request: Request)
        -> Code : Collective(FileReadAtAll, Nonblocking);
    fn MPI_File_iwrite_at / mpi_file_iwrite_at (In fh: File, In offset: Offset, In buf: SendBuf, In count: Count,
        In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iwrite_at_c / mpi_file_iwrite_at_c (In fh: File, In offset: Offset, In buf: SendBuf,
        In count: LargeCount, In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iwrite_at_all / mpi_file_iwrite_at_all (In fh: File, In offset: Offset, In buf: SendBuf,
        In count: Count, In datatype: Datatype, Out request: Request) -> Code : Collective(FileWriteAtAll, Nonblocking);
    fn MPI_File_iwrite_at_all_c / mpi_file_iwrite_at_all_c (In fh: File, In offset: Offset, In buf: SendBuf,
        In count: LargeCount, In datatype: Datatype, Out request: Request)
        -> Code : Collective(FileWriteAtAll, Nonblocking);

    // 14.4.3  Individual file pointers
    fn MPI_File_read / mpi_file_read (In fh: File, Out buf: RecvBuf, In count: Count, In datatype: Datatype,
        Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_read_c / mpi_file_read_c (In fh: File, Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_read_all / mpi_file_read_all (In fh: File, Out buf: RecvBuf, In count: Count, In datatype: Datatype,
        Out status: Status) -> Code : Collective(FileReadAll, Blocking);
    fn MPI_File_read_all_c / mpi_file_read_all_c (In fh: File, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileReadAll, Blocking);
    fn MPI_File_write / mpi_file_write (In fh: File, In buf: SendBuf, In count: Count, In datatype: Datatype,
        Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_write_c / mpi_file_write_c (In fh: File, In buf: SendBuf, In count: LargeCount, In datatype: Datatype,
        Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_write_all / mpi_file_write_all (In fh: File, In buf: SendBuf, In count: Count, In datatype: Datatype,
        Out status: Status) -> Code : Collective(FileWriteAll, Blocking);
    fn MPI_File_write_all_c / mpi_file_write_all_c (In fh: File, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileWriteAll, Blocking);
    fn MPI_File_iread / mpi_file_iread (In fh: File, Out buf: RecvBuf, In count: Count, In datatype: Datatype,
        Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iread_c / mpi_file_iread_c (In fh: File, Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iread_all / mpi_file_iread_all (In fh: File, Out buf: RecvBuf, In count: Count, In datatype: Datatype,
        Out request: Request) -> Code : Collective(FileReadAll, Nonblocking);
    fn MPI_File_iread_all_c / mpi_file_iread_all_c (In fh: File, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, Out request: Request) -> Code : Collective(FileReadAll, Nonblocking);
    fn MPI_File_iwrite / mpi_file_iwrite (In fh: File, In buf: SendBuf, In count: Count, In datatype: Datatype,
        Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iwrite_c / mpi_file_iwrite_c (In fh: File, In buf: SendBuf, In count: LargeCount, In datatype: Datatype,
        Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iwrite_all / mpi_file_iwrite_all (In fh: File, In buf: SendBuf, In count: Count, In datatype: Datatype,
        Out request: Request) -> Code : Collective(FileWriteAll, Nonblocking);
    fn MPI_File_iwrite_all_c / mpi_file_iwrite_all_c (In fh: File, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype, Out request: Request) -> Code : Collective(FileWriteAll, Nonblocking);
    fn MPI_File_seek / mpi_file_seek (In fh: File, In offset: Offset, In whence: Const) -> Code : Local;
    fn MPI_File_get_position / mpi_file_get_position (In fh: File, Out offset: Offset) -> Code : Local;
    fn MPI_File_get_byte_offset / mpi_file_get_byte_offset (In fh: File, In offset: Offset, Out disp: Offset)
        -> Code : Local;

    // 14.4.4  Shared file pointers
    fn MPI_File_read_shared / mpi_file_read_shared (In fh: File, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_read_shared_c / mpi_file_read_shared_c (In fh: File, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_write_shared / mpi_file_write_shared (In fh: File, In buf: SendBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_write_shared_c / mpi_file_write_shared_c (In fh: File, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : FileIo(Blocking);
    fn MPI_File_iread_shared / mpi_file_iread_shared (In fh: File, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iread_shared_c / mpi_file_iread_shared_c (In fh: File, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iwrite_shared / mpi_file_iwrite_shared (In fh: File, In buf: SendBuf, In count: Count,
        In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_iwrite_shared_c / mpi_file_iwrite_shared_c (In fh: File, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype, Out request: Request) -> Code : FileIo(Nonblocking);
    fn MPI_File_read_ordered / mpi_file_read_ordered (In fh: File, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileReadOrdered, Blocking);
    fn MPI_File_read_ordered_c / mpi_file_read_ordered_c (In fh: File, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileReadOrdered, Blocking);
    fn MPI_File_write_ordered / mpi_file_write_ordered (In fh: File, In buf: SendBuf, In count: Count,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileWriteOrdered, Blocking);
    fn MPI_File_write_ordered_c / mpi_file_write_ordered_c (In fh: File, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype, Out status: Status) -> Code : Collective(FileWriteOrdered, Blocking);
    fn MPI_File_seek_shared / mpi_file_seek_shared (In fh: File, In offset: Offset, In whence: Const)
        -> Code : Collective(FileSeekShared, Blocking);
    fn MPI_File_get_position_shared / mpi_file_get_position_shared (In fh: File, Out offset: Offset) -> Code : Local;

    // 14.4.5  Split collectives
    fn MPI_File_read_at_all_begin / mpi_file_read_at_all_begin (In fh: File, In offset: Offset, Out buf: RecvBuf,
        In count: Count, In datatype: Datatype) -> Code : Collective(FileReadAtAllBegin, Blocking);
    fn MPI_File_read_at_all_begin_c / mpi_file_read_at_all_begin_c (In fh: File, In offset: Offset, Out buf: RecvBuf,
        In count: LargeCount, In datatype: Datatype) -> Code : Collective(FileReadAtAllBegin, Blocking);
    fn MPI_File_read_at_all_end / mpi_file_read_at_all_end (In fh: File, Out buf: RecvBuf, Out status: Status)
        -> Code : Collective(FileReadAtAllEnd, Blocking);
    fn MPI_File_write_at_all_begin / mpi_file_write_at_all_begin (In fh: File, In offset: Offset, In buf: SendBuf,
        In count: Count, In datatype: Datatype) -> Code : Collective(FileWriteAtAllBegin, Blocking);
    fn MPI_File_write_at_all_begin_c / mpi_file_write_at_all_begin_c (In fh: File, In offset: Offset, In buf: SendBuf,
        In count: LargeCount, In datatype: Datatype) -> Code : Collective(FileWriteAtAllBegin, Blocking);
    fn MPI_File_write_at_all_end / mpi_file_write_at_all_end (In fh: File, In buf: SendBuf, Out status: Status)
        -> Code : Collective(FileWriteAtAllEnd, Blocking);
    fn MPI_File_read_all_begin / mpi_file_read_all_begin (In fh: File, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype) -> Code : Collective(FileReadAllBegin, Blocking);
    fn MPI_File_read_all_begin_c / mpi_file_read_all_begin_c (In fh: File, Out buf: RecvBuf, In count: LargeCount,
        In datatype: Datatype) -> Code : Collective(FileReadAllBegin, Blocking);
    fn MPI_File_read_all_end / mpi_file_read_all_end (In fh: File, Out buf: RecvBuf, Out status: Status)
        -> Code : Collective(FileReadAllEnd, Blocking);
    fn MPI_File_write_all_begin / mpi_file_write_all_begin (In fh: File, In buf: SendBuf, In count: Count,
        In datatype: Datatype) -> Code : Collective(FileWriteAllBegin, Blocking);
    fn MPI_File_write_all_begin_c / mpi_file_write_all_begin_c (In fh: File, In buf: SendBuf, In count: LargeCount,
        In datatype: Datatype) -> Code : Collective(FileWriteAllBegin, Blocking);
    fn MPI_File_write_all_end / mpi_file_write_all_end (In fh: File, In buf: SendBuf, Out status: Status)
        -> Code : Collective(FileWriteAllEnd, Blocking);
    fn MPI_File_read_ordered_begin / mpi_file_read_ordered_begin (In fh: File, Out buf: RecvBuf, In count: Count,
        In datatype: Datatype) -> Code : Collective(FileReadOrderedBegin, Blocking);
    fn MPI_File_read_ordered_begin_c / mpi_file_read_ordered_begin_c (In fh: File, Out buf: RecvBuf,
        In count: LargeCount, In datatype: Datatype) -> Code : Collective(FileReadOrderedBegin, Blocking);
    fn MPI_File_read_ordered_end / mpi_file_read_ordered_end (In fh: File, Out buf: RecvBuf, Out status: Status)
        -> Code : Collective(FileReadOrderedEnd, Blocking);
    fn MPI_File_write_ordered_begin / mpi_file_write_ordered_begin (In fh: File, In buf: SendBuf, In count: Count,
        In datatype: Datatype) -> Code : Collective(FileWriteOrderedBegin, Blocking);
    fn MPI_File_write_ordered_begin_c / mpi_file_write_ordered_begin_c (In fh: File, In buf: SendBuf,
        In count: LargeCount, In datatype: Datatype) -> Code : Collective(FileWriteOrderedBegin, Blocking);
    fn MPI_File_write_ordered_end / mpi_file_write_ordered_end (In fh: File, In buf: SendBuf, Out status: Status)
        -> Code : Collective(FileWriteOrderedEnd, Blocking);

    // 14.5, 14.6  Interoperability and consistency
    fn MPI_File_get_type_extent / mpi_file_get_type_extent (In fh: File, In datatype: Datatype, Out extent: Aint)
        -> Code : Local;
    fn MPI_File_get_type_extent_c / mpi_file_get_type_extent_c (In fh: File, In datatype: Datatype,
        Out extent: LargeCount) -> Code : Local;
    fn MPI_Register_datarep / mpi_register_datarep (In datarep: Str, In read_conversion_fn: Callback,
        In write_conversion_fn: Callback, In dtype_file_extent_fn: Callback, In extra_state: Pointer) -> Code : Local;
    fn MPI_Register_datarep_c / mpi_register_datarep_c (In datarep: Str, In read_conversion_fn: Callback,
        In write_conversion_fn: Callback, In dtype_file_extent_fn: Callback, In extra_state: Pointer) -> Code : Local;
    fn MPI_File_set_atomicity / mpi_file_set_atomicity (In fh: File, In flag: Flag)
        -> Code : Collective(FileSetAtomicity, Blocking);
    fn MPI_File_get_atomicity / mpi_file_get_atomicity (In fh: File, Out flag: Flag) -> Code : Local;
    fn MPI_File_sync / mpi_file_sync (In fh: File) -> Code : Collective(FileSync, Blocking);

    // ---- 15 Tool support ----

    fn MPI_Pcontrol / mpi_pcontrol (In level: Int) -> Code : Pcontrol;

    // ---- 16 Deprecated ----

    fn MPI_Attr_delete / mpi_attr_delete (In comm: Comm, In keyval: Keyval) -> Code : Local;
    fn MPI_Attr_get / mpi_attr_get (In comm: Comm, In keyval: Keyval, Out attribute_val: Pointer, Out flag: Flag)
        -> Code : Local;
    fn MPI_Attr_put / mpi_attr_put (In comm: Comm, In keyval: Keyval, In attribute_val: Pointer) -> Code : Local;
    fn MPI_Keyval_create / mpi_keyval_create (In copy_fn: Callback, In delete_fn: Callback, Out keyval: Keyval,
        In extra_state: Pointer) -> Code : Create;
    fn MPI_Keyval_free / mpi_keyval_free (InOut keyval: Keyval) -> Code : Free;
    fn MPI_Info_get / mpi_info_get (In info: Info, In key: Str, In valuelen: Count, Out value: Str[valuelen],
        Out flag: Flag) -> Code : Local;
    fn MPI_Info_get_valuelen / mpi_info_get_valuelen (In info: Info, In key: Str, Out valuelen: Int, Out flag: Flag)
        -> Code : Local;

    // ---- 17 Removed ----

    fn MPI_Address / mpi_address (In location: Pointer, Out address: Aint) -> Code : Local;
    fn MPI_Errhandler_create / mpi_errhandler_create (In handler_fn: Callback, Out errhandler: Errhandler)
        -> Code : Create;
    fn MPI_Errhandler_get / mpi_errhandler_get (In comm: Comm, Out errhandler: Errhandler) -> Code : Create;
    fn MPI_Errhandler_set / mpi_errhandler_set (In comm: Comm, In errhandler: Errhandler) -> Code : Local;
    fn MPI_Type_extent / mpi_type_extent (In datatype: Datatype, Out extent: Aint) -> Code : Local;
    fn MPI_Type_hindexed / mpi_type_hindexed (In count: Count, In array_of_blocklengths: Count[count],
        In array_of_displacements: Aint[count], In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_hvector / mpi_type_hvector (In count: Count, In blocklength: Count, In stride: Aint,
        In oldtype: Datatype, Out newtype: Datatype) -> Code : Create;
    fn MPI_Type_lb / mpi_type_lb (In datatype: Datatype, Out displacement: Aint) -> Code : Local;
    fn MPI_Type_struct / mpi_type_struct (In count: Count, In array_of_blocklengths: Count[count],
        In array_of_displacements: Aint[count], In array_of_types: Datatype[count], Out newtype: Datatype)
        -> Code : Create;
    fn MPI_Type_ub / mpi_type_ub (In datatype: Datatype, Out displacement: Aint) -> Code : Local;

    // ---- 19 Language bindings ----

    // 19.1.9  Parametrised Fortran types: the handles are predefined, not to be freed
    fn MPI_Type_create_f90_real / mpi_type_create_f90_real (In p: Int, In r: Int, Out newtype: Datatype)
        -> Code : Local;
    fn MPI_Type_create_f90_complex / mpi_type_create_f90_complex (In p: Int, In r: Int, Out newtype: Datatype)
        -> Code : Local;
    fn MPI_Type_create_f90_integer / mpi_type_create_f90_integer (In r: Int, Out newtype: Datatype) -> Code : Local;
    fn MPI_Type_match_size / mpi_type_match_size (In typeclass: Const, In size: Int, Out datatype: Datatype)
        -> Code : Local;

    // 19.3.4  Transfer of handles
    fn MPI_Comm_c2f / mpi_comm_c2f (In comm: Comm) -> Fint : Local;
    fn MPI_Type_c2f / mpi_type_c2f (In datatype: Datatype) -> Fint : Local;
    fn MPI_Group_c2f / mpi_group_c2f (In group: Group) -> Fint : Local;
    fn MPI_Request_c2f / mpi_request_c2f (In request: Request) -> Fint : Local;
    fn MPI_File_c2f / mpi_file_c2f (In file: File) -> Fint : Local;
    fn MPI_Win_c2f / mpi_win_c2f (In win: Win) -> Fint : Local;
    fn MPI_Op_c2f / mpi_op_c2f (In op: Op) -> Fint : Local;
    fn MPI_Info_c2f / mpi_info_c2f (In info: Info) -> Fint : Local;
    fn MPI_Errhandler_c2f / mpi_errhandler_c2f (In errhandler: Errhandler) -> Fint : Local;
    fn MPI_Message_c2f / mpi_message_c2f (In message: Message) -> Fint : Local;
    fn MPI_Session_c2f / mpi_session_c2f (In session: Session) -> Fint : Local;
    fn MPI_Comm_f2c / mpi_comm_f2c (In comm: Fint) -> Comm : Local;
    fn MPI_Type_f2c / mpi_type_f2c (In datatype: Fint) -> Datatype : Local;
    fn MPI_Group_f2c / mpi_group_f2c (In group: Fint) -> Group : Local;
    fn MPI_Request_f2c / mpi_request_f2c (In request: Fint) -> Request : Local;
    fn MPI_File_f2c / mpi_file_f2c (In file: Fint) -> File : Local;
    fn MPI_Win_f2c / mpi_win_f2c (In win: Fint) -> Win : Local;
    fn MPI_Op_f2c / mpi_op_f2c (In op: Fint) -> Op : Local;
    fn MPI_Info_f2c / mpi_info_f2c (In info: Fint) -> Info : Local;
    fn MPI_Errhandler_f2c / mpi_errhandler_f2c (In errhandler: Fint) -> Errhandler : Local;
    fn MPI_Message_f2c / mpi_message_f2c (In message: Fint) -> Message : Local;
    fn MPI_Session_f2c / mpi_session_f2c (In session: Fint) -> Session : Local;
    fn MPI_Comm_toint / mpi_comm_toint (In comm: Comm) -> Int : Local;
    fn MPI_Type_toint / mpi_type_toint (In datatype: Datatype) -> Int : Local;
    fn MPI_Group_toint / mpi_group_toint (In group: Group) -> Int : Local;
    fn MPI_Request_toint / mpi_request_toint (In request: Request) -> Int : Local;
    fn MPI_File_toint / mpi_file_toint (In file: File) -> Int : Local;
    fn MPI_Win_toint / mpi_win_toint (In win: Win) -> Int : Local;
    fn MPI_Op_toint / mpi_op_toint (In op: Op) -> Int : Local;
    fn MPI_Info_toint / mpi_info_toint (In info: Info) -> Int : Local;
    fn MPI_Errhandler_toint / mpi_errhandler_toint (In errhandler: Errhandler) -> Int : Local;
    fn MPI_Message_toint / mpi_message_toint (In message: Message) -> Int : Local;
    fn MPI_Session_toint / mpi_session_toint (In session: Session) -> Int : Local;
    fn MPI_Comm_fromint / mpi_comm_fromint (In comm: Int) -> Comm : Local;
    fn MPI_Type_fromint / mpi_type_fromint (In datatype: Int) -> Datatype : Local;
    fn MPI_Group_fromint / mpi_group_fromint (In group: Int) -> Group : Local;
    fn MPI_Request_fromint / mpi_request_fromint (In request: Int) -> Request : Local;
    fn MPI_File_fromint / mpi_file_fromint (In file: Int) -> File : Local;
    fn MPI_Win_fromint / mpi_win_fromint (In win: Int) -> Win : Local;
    fn MPI_Op_fromint / mpi_op_fromint (In op: Int) -> Op : Local;
    fn MPI_Info_fromint / mpi_info_fromint (In info: Int) -> Info : Local;
    fn MPI_Errhandler_fromint / mpi_errhandler_fromint (In errhandler: Int) -> Errhandler : Local;
    fn MPI_Message_fromint / mpi_message_fromint (In message: Int) -> Message : Local;
    fn MPI_Session_fromint / mpi_session_fromint (In session: Int) -> Session : Local;

    // 19.3.5  Transfer of statuses
    fn MPI_Status_f2c / mpi_status_f2c (In f_status: FStatus, Out c_status: Status) -> Code : Local;
    fn MPI_Status_c2f / mpi_status_c2f (In c_status: Status, Out f_status: FStatus) -> Code : Local;
    fn MPI_Status_f082c / mpi_status_f082c (In f08_status: F08Status, Out c_status: Status) -> Code : Local;
    fn MPI_Status_c2f08 / mpi_status_c2f08 (In c_status: Status, Out f08_status: F08Status) -> Code : Local;
    fn MPI_Status_f082f / mpi_status_f082f (In f08_status: F08Status, Out f_status: FStatus) -> Code : Local;
    fn MPI_Status_f2f08 / mpi_status_f2f08 (In f_status: FStatus, Out f08_status: F08Status) -> Code : Local;

    // ---- 20 Application binary interface (MPI-5.0) ----

    fn MPI_Abi_get_version / mpi_abi_get_version (Out abi_major: Int, Out abi_minor: Int) -> Code : Local;
    fn MPI_Abi_get_info / mpi_abi_get_info (Out info: Info) -> Code : Create;
    fn MPI_Abi_get_fortran_info / mpi_abi_get_fortran_info (Out info: Info) -> Code : Create;
    fn MPI_Abi_set_fortran_info / mpi_abi_set_fortran_info (In info: Info) -> Code : Local;
    fn MPI_Abi_get_fortran_booleans / mpi_abi_get_fortran_booleans (In logical_size: Int, Out logical_true: Opaque,
        Out logical_false: Opaque, Out is_set: Flag) -> Code : Local;
    fn MPI_Abi_set_fortran_booleans / mpi_abi_set_fortran_booleans (In logical_size: Int, In logical_true: Opaque,
        In logical_false: Opaque) -> Code : Local;

    // ---- Extensions: fault tolerance (ULFM) ----

    fn MPIX_Comm_revoke / mpix_comm_revoke (In comm: Comm) -> Code : Local;
    fn MPIX_Comm_is_revoked / mpix_comm_is_revoked (In comm: Comm, Out flag: Flag) -> Code : Local;
    fn MPIX_Comm_shrink / mpix_comm_shrink (In comm: Comm, Out newcomm: Comm)
        -> Code : Collective(CommShrink, Blocking);
    fn MPIX_Comm_agree / mpix_comm_agree (In comm: Comm, InOut flag: Int) -> Code : Collective(CommAgree, Blocking);
    fn MPIX_Comm_iagree / mpix_comm_iagree (In comm: Comm, InOut flag: Int, Out request: Request)
        -> Code : Collective(CommAgree, Nonblocking);
    fn MPIX_Comm_get_failed / mpix_comm_get_failed (In comm: Comm, Out failedgrp: Group) -> Code : Create;
    fn MPIX_Comm_ack_failed / mpix_comm_ack_failed (In comm: Comm, In num_to_ack: Int, Out num_acked: Int)
        -> Code : Local;
    fn MPIX_Comm_failure_ack / mpix_comm_failure_ack (In comm: Comm) -> Code : Local;
    fn MPIX_Comm_failure_get_acked / mpix_comm_failure_get_acked (In comm: Comm, Out failedgrp: Group) -> Code : Create;

    // ---- Extensions: persistent collectives before MPI-4.0 (Open MPI 4) ----

    fn MPIX_Barrier_init / mpix_barrier_init (In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Barrier, Persistent);
    fn MPIX_Bcast_init / mpix_bcast_init (InOut buffer: Buf, In count: Count, In datatype: Datatype, In root: Root,
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Bcast, Persistent);
    fn MPIX_Gather_init / mpix_gather_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Gather, Persistent);
    fn MPIX_Gatherv_init / mpix_gatherv_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size at root], In displs: Int[comm_size at root],
        In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Gatherv, Persistent);
    fn MPIX_Scatter_init / mpix_scatter_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Scatter, Persistent);
    fn MPIX_Scatterv_init / mpix_scatterv_init (In sendbuf: SendBuf, In sendcounts: Count[comm_size at root],
        In displs: Int[comm_size at root], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count,
        In recvtype: Datatype, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Scatterv, Persistent);
    fn MPIX_Allgather_init / mpix_allgather_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Allgather, Persistent);
    fn MPIX_Allgatherv_init / mpix_allgatherv_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[comm_size], In displs: Int[comm_size], In recvtype: Datatype,
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(Allgatherv, Persistent);
    fn MPIX_Alltoall_init / mpix_alltoall_init (In sendbuf: SendBuf, In sendcount: Count, In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(Alltoall, Persistent);
    fn MPIX_Alltoallv_init / mpix_alltoallv_init (In sendbuf: SendBuf, In sendcounts: Count[comm_size],
        In sdispls: Int[comm_size], In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[comm_size],
        In rdispls: Int[comm_size], In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Alltoallv, Persistent);
    fn MPIX_Alltoallw_init / mpix_alltoallw_init (In sendbuf: SendBuf, In sendcounts: Count[comm_size],
        In sdispls: Int[comm_size], In sendtypes: Datatype[comm_size], Out recvbuf: RecvBuf,
        In recvcounts: Count[comm_size], In rdispls: Int[comm_size], In recvtypes: Datatype[comm_size], In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(Alltoallw, Persistent);
    fn MPIX_Reduce_init / mpix_reduce_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In root: Root, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Reduce, Persistent);
    fn MPIX_Allreduce_init / mpix_allreduce_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Allreduce, Persistent);
    fn MPIX_Reduce_scatter_block_init / mpix_reduce_scatter_block_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcount: Count, In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(ReduceScatterBlock, Persistent);
    fn MPIX_Reduce_scatter_init / mpix_reduce_scatter_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In recvcounts: Count[local_size], In datatype: Datatype, In op: Op, In comm: Comm, In info: Info,
        Out request: Request) -> Code : Collective(ReduceScatter, Persistent);
    fn MPIX_Scan_init / mpix_scan_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Scan, Persistent);
    fn MPIX_Exscan_init / mpix_exscan_init (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(Exscan, Persistent);
    fn MPIX_Neighbor_allgather_init / mpix_neighbor_allgather_init (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(NeighborAllgather, Persistent);
    fn MPIX_Neighbor_allgatherv_init / mpix_neighbor_allgatherv_init (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In displs: Int[in_neighbors],
        In recvtype: Datatype, In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(NeighborAllgatherv, Persistent);
    fn MPIX_Neighbor_alltoall_init / mpix_neighbor_alltoall_init (In sendbuf: SendBuf, In sendcount: Count,
        In sendtype: Datatype, Out recvbuf: RecvBuf, In recvcount: Count, In recvtype: Datatype, In comm: Comm,
        In info: Info, Out request: Request) -> Code : Collective(NeighborAlltoall, Persistent);
    fn MPIX_Neighbor_alltoallv_init / mpix_neighbor_alltoallv_init (In sendbuf: SendBuf,
        In sendcounts: Count[out_neighbors], In sdispls: Int[out_neighbors], In sendtype: Datatype,
        Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In rdispls: Int[in_neighbors], In recvtype: Datatype,
        In comm: Comm, In info: Info, Out request: Request) -> Code : Collective(NeighborAlltoallv, Persistent);
    fn MPIX_Neighbor_alltoallw_init / mpix_neighbor_alltoallw_init (In sendbuf: SendBuf,
        In sendcounts: Count[out_neighbors], In sdispls: Aint[out_neighbors], In sendtypes: Datatype[out_neighbors],
        Out recvbuf: RecvBuf, In recvcounts: Count[in_neighbors], In rdispls: Aint[in_neighbors],
        In recvtypes: Datatype[in_neighbors], In comm: Comm, In info: Info, Out request: Request)
        -> Code : Collective(NeighborAlltoallw, Persistent);

    // ---- Extensions: generalized requests with progress (MPICH, ROMIO) ----

    fn MPIX_Grequest_start / mpix_grequest_start (In query_fn: Callback, In free_fn: Callback, In cancel_fn: Callback,
        In poll_fn: Callback, In wait_fn: Callback, In extra_state: Pointer, Out request: Request)
        -> Code : GrequestStart;
    fn MPIX_Grequest_class_create / mpix_grequest_class_create (In query_fn: Callback, In free_fn: Callback,
        In cancel_fn: Callback, In poll_fn: Callback, In wait_fn: Callback, Out greq_class: OpaqueInt) -> Code : Create;
    fn MPIX_Grequest_class_allocate / mpix_grequest_class_allocate (In greq_class: OpaqueInt, In extra_state: Pointer,
        Out request: Request) -> Code : GrequestStart;

    // ---- Extensions: callbacks with state, error codes, info, datatypes (MPICH) ----

    fn MPIX_Comm_create_errhandler_x / mpix_comm_create_errhandler_x (In comm_errhandler_fn_x: Callback,
        In destructor_fn: Callback, In extra_state: Pointer, Out errhandler: Errhandler) -> Code : Create;
    fn MPIX_Win_create_errhandler_x / mpix_win_create_errhandler_x (In win_errhandler_fn_x: Callback,
        In destructor_fn: Callback, In extra_state: Pointer, Out errhandler: Errhandler) -> Code : Create;
    fn MPIX_File_create_errhandler_x / mpix_file_create_errhandler_x (In file_errhandler_fn_x: Callback,
        In destructor_fn: Callback, In extra_state: Pointer, Out errhandler: Errhandler) -> Code : Create;
    fn MPIX_Session_create_errhandler_x / mpix_session_create_errhandler_x (In session_errhandler_fn_x: Callback,
        In destructor_fn: Callback, In extra_state: Pointer, Out errhandler: Errhandler) -> Code : Create;
    fn MPIX_Op_create_x / mpix_op_create_x (In user_fn_x: Callback, In destructor_fn: Callback, In commute: Flag,
        In extra_state: Pointer, Out op: Op) -> Code : Create;
    fn MPIX_Delete_error_class / mpix_delete_error_class (In errorclass: ErrorCode) -> Code : Local;
    fn MPIX_Delete_error_code / mpix_delete_error_code (In errorcode: ErrorCode) -> Code : Local;
    fn MPIX_Delete_error_string / mpix_delete_error_string (In errorcode: ErrorCode) -> Code : Local;
    fn MPIX_Info_set_hex / mpix_info_set_hex (In info: Info, In key: Str, In value: Pointer, In value_size: Int)
        -> Code : Local;
    fn MPIX_Request_is_complete / mpix_request_is_complete (In request: Request) -> Int : Local;
    fn MPIX_Type_iov_len / mpix_type_iov_len (In datatype: Datatype, In max_iov_bytes: LargeCount,
        Out iov_len: LargeCount, Out actual_iov_bytes: LargeCount) -> Code : Local;
    fn MPIX_Type_iov / mpix_type_iov (In datatype: Datatype, In iov_offset: LargeCount, Out iov: Opaque,
        In max_iov_len: LargeCount, Out actual_iov_len: LargeCount) -> Code : Local;

    // ---- Extensions: asynchronous tasks (MPICH) ----

    fn MPIX_Async_start / mpix_async_start (In poll_fn: Callback, In extra_state: Pointer, In stream: Stream)
        -> Code : Local;
    fn MPIX_Async_get_state / mpix_async_get_state (In thing: Opaque) -> Pointer : Local;
    fn MPIX_Async_spawn / mpix_async_spawn (In thing: Opaque, In poll_fn: Callback, In extra_state: Pointer,
        In stream: Stream) -> Code : Local;

    // ---- Extensions: streams (MPICH) ----

    fn MPIX_Stream_create / mpix_stream_create (In info: Info, Out stream: Stream) -> Code : Local;
    fn MPIX_Stream_free / mpix_stream_free (InOut stream: Stream) -> Code : Local;
    fn MPIX_Stream_comm_create / mpix_stream_comm_create (In comm: Comm, In stream: Stream, Out newcomm: Comm)
        -> Code : Collective(StreamCommCreate, Blocking);
    fn MPIX_Stream_comm_create_multiplex / mpix_stream_comm_create_multiplex (In comm: Comm, In count: Count,
        In array_of_streams: Stream[count], Out newcomm: Comm) -> Code : Collective(StreamCommCreate, Blocking);
    fn MPIX_Comm_get_stream / mpix_comm_get_stream (In comm: Comm, In idx: Int, Out stream: Stream) -> Code : Local;
    fn MPIX_Stream_progress / mpix_stream_progress (In stream: Stream) -> Code : Local;
    fn MPIX_Start_progress_thread / mpix_start_progress_thread (In stream: Stream) -> Code : Local;
    fn MPIX_Stop_progress_thread / mpix_stop_progress_thread (In stream: Stream) -> Code : Local;
    fn MPIX_Stream_send / mpix_stream_send (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int)
        -> Code : Send(Standard, Blocking);
    fn MPIX_Stream_send_c / mpix_stream_send_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype,
        In dest: Rank, In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int)
        -> Code : Send(Standard, Blocking);
    fn MPIX_Stream_isend / mpix_stream_isend (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int, Out request: Request)
        -> Code : Send(Standard, Nonblocking);
    fn MPIX_Stream_isend_c / mpix_stream_isend_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype,
        In dest: Rank, In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int,
        Out request: Request) -> Code : Send(Standard, Nonblocking);
    fn MPIX_Stream_recv / mpix_stream_recv (Out buf: RecvBuf, In count: Count, In datatype: Datatype, In source: Rank,
        In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int, Out status: Status)
        -> Code : Recv(Blocking);
    fn MPIX_Stream_recv_c / mpix_stream_recv_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        In source: Rank, In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int,
        Out status: Status) -> Code : Recv(Blocking);
    fn MPIX_Stream_irecv / mpix_stream_irecv (Out buf: RecvBuf, In count: Count, In datatype: Datatype, In source: Rank,
        In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int, Out request: Request)
        -> Code : Recv(Nonblocking);
    fn MPIX_Stream_irecv_c / mpix_stream_irecv_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        In source: Rank, In tag: Tag, In comm: Comm, In source_stream_index: Int, In dest_stream_index: Int,
        Out request: Request) -> Code : Recv(Nonblocking);

    // Enqueued on a GPU stream: the host's order of calls says nothing about when they run, so they are local here
    fn MPIX_Send_enqueue / mpix_send_enqueue (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm) -> Code : Local;
    fn MPIX_Send_enqueue_c / mpix_send_enqueue_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype,
        In dest: Rank, In tag: Tag, In comm: Comm) -> Code : Local;
    fn MPIX_Isend_enqueue / mpix_isend_enqueue (In buf: SendBuf, In count: Count, In datatype: Datatype, In dest: Rank,
        In tag: Tag, In comm: Comm, Out request: Request) -> Code : Local;
    fn MPIX_Isend_enqueue_c / mpix_isend_enqueue_c (In buf: SendBuf, In count: LargeCount, In datatype: Datatype,
        In dest: Rank, In tag: Tag, In comm: Comm, Out request: Request) -> Code : Local;
    fn MPIX_Recv_enqueue / mpix_recv_enqueue (Out buf: RecvBuf, In count: Count, In datatype: Datatype, In source: Rank,
        In tag: Tag, In comm: Comm, Out status: Status) -> Code : Local;
    fn MPIX_Recv_enqueue_c / mpix_recv_enqueue_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        In source: Rank, In tag: Tag, In comm: Comm, Out status: Status) -> Code : Local;
    fn MPIX_Irecv_enqueue / mpix_irecv_enqueue (Out buf: RecvBuf, In count: Count, In datatype: Datatype,
        In source: Rank, In tag: Tag, In comm: Comm, Out request: Request) -> Code : Local;
    fn MPIX_Irecv_enqueue_c / mpix_irecv_enqueue_c (Out buf: RecvBuf, In count: LargeCount, In datatype: Datatype,
        In source: Rank, In tag: Tag, In comm: Comm, Out request: Request) -> Code : Local;
    fn MPIX_Wait_enqueue / mpix_wait_enqueue (InOut request: Request, Out status: Status) -> Code : Local;
    fn MPIX_Waitall_enqueue / mpix_waitall_enqueue (In count: Count, InOut array_of_requests: Request[count],
        Out array_of_statuses: Status[count]) -> Code : Local;
    fn MPIX_Allreduce_enqueue / mpix_allreduce_enqueue (In sendbuf: SendBuf, Out recvbuf: RecvBuf, In count: Count,
        In datatype: Datatype, In op: Op, In comm: Comm) -> Code : Local;
    fn MPIX_Allreduce_enqueue_c / mpix_allreduce_enqueue_c (In sendbuf: SendBuf, Out recvbuf: RecvBuf,
        In count: LargeCount, In datatype: Datatype, In op: Op, In comm: Comm) -> Code : Local;

    // ---- Extensions: thread communicators (MPICH) ----

    // Start and finish are called by every thread of the new communicator
    fn MPIX_Threadcomm_init / mpix_threadcomm_init (In comm: Comm, In num_threads: Count, Out newthreadcomm: Comm)
        -> Code : Collective(ThreadcommInit, Blocking);
    fn MPIX_Threadcomm_free / mpix_threadcomm_free (InOut threadcomm: Comm)
        -> Code : Collective(ThreadcommFree, Blocking);
    fn MPIX_Threadcomm_start / mpix_threadcomm_start (In threadcomm: Comm) -> Code : Local;
    fn MPIX_Threadcomm_finish / mpix_threadcomm_finish (In threadcomm: Comm) -> Code : Local;
    fn MPIX_Comm_test_threadcomm / mpix_comm_test_threadcomm (In comm: Comm, Out flag: Flag) -> Code : Local;

    // ---- Extensions: notified one-sided communication (Intel MPI) ----

    fn MPIX_Win_create_notify / mpix_win_create_notify (In win: Win, In notification_num: Int) -> Code : Local;
    fn MPIX_Win_free_notify / mpix_win_free_notify (In win: Win) -> Code : Local;
    fn MPIX_Win_get_notify / mpix_win_get_notify (In win: Win, In notification_idx: Int,
        Out notification_value: LargeCount) -> Code : Local;
    fn MPIX_Win_set_notify / mpix_win_set_notify (In win: Win, In notification_idx: Int,
        In notification_value: LargeCount) -> Code : Local;
    fn MPIX_Win_get_notify_request / mpix_win_get_notify_request (In win: Win, In notification_idx: Int,
        In expected_value: LargeCount, Out request: Request) -> Code : RmaRequest;
    fn MPIX_Put_notify / mpix_put_notify (In origin_addr: SendBuf, In origin_count: Count, In origin_datatype: Datatype,
        In target_rank: Rank, In target_disp: Aint, In target_count: Count, In target_datatype: Datatype,
        In notification_idx: Int, In win: Win) -> Code : Rma;
    fn MPIX_Put_notify_c / mpix_put_notify_c (In origin_addr: SendBuf, In origin_count: LargeCount,
        In origin_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount,
        In target_datatype: Datatype, In notification_idx: Int, In win: Win) -> Code : Rma;
    fn MPIX_Get_notify / mpix_get_notify (Out origin_addr: RecvBuf, In origin_count: Count,
        In origin_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: Count,
        In target_datatype: Datatype, In notification_idx: Int, In win: Win) -> Code : Rma;
    fn MPIX_Get_notify_c / mpix_get_notify_c (Out origin_addr: RecvBuf, In origin_count: LargeCount,
        In origin_datatype: Datatype, In target_rank: Rank, In target_disp: Aint, In target_count: LargeCount,
        In target_datatype: Datatype, In notification_idx: Int, In win: Win) -> Code : Rma;

    // ---- Extensions: GPU support ----

    fn MPIX_GPU_query_support / mpix_gpu_query_support (In gpu_type: Const, Out is_supported: Flag) -> Code : Local;
    fn MPIX_Query_cuda_support / mpix_query_cuda_support () -> Int : Local;
    fn MPIX_Query_hip_support / mpix_query_hip_support () -> Int : Local;
    fn MPIX_Query_rocm_support / mpix_query_rocm_support () -> Int : Local;
    fn MPIX_Query_ze_support / mpix_query_ze_support () -> Int : Local;}}}

/// Symbols that look like MPI functions and have no row, because a program does not call them.
#[rustfmt::skip]
pub const NOT_FUNCTIONS: &[&str] = &[
    // Predefined callbacks: constants in the form of functions. Programs pass their addresses to MPI, which compares
    // them, so that a wrapper would be taken for a callback of the program.
    "MPI_DUP_FN", "MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN",
    "MPI_COMM_DUP_FN", "MPI_COMM_NULL_COPY_FN", "MPI_COMM_NULL_DELETE_FN",
    "MPI_TYPE_DUP_FN", "MPI_TYPE_NULL_COPY_FN", "MPI_TYPE_NULL_DELETE_FN",
    "MPI_WIN_DUP_FN", "MPI_WIN_NULL_COPY_FN", "MPI_WIN_NULL_DELETE_FN",
    "MPI_CONVERSION_FN_NULL", "MPI_CONVERSION_FN_NULL_C",

    // Data: the addresses of special arguments.
    "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUS_IGNORE", "MPI_F08_STATUSES_IGNORE",
    "MPI_F_ARGV_NULL", "MPI_F_ARGVS_NULL", "MPI_F_ERRCODES_IGNORE", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY",

    // Fortran alone. The first tells the compiler something and does nothing; the next are `MPI_Alloc_mem` and the
    // others with a `TYPE(C_PTR)`; the last are Open MPI's bodies of Fortran functions.
    "MPI_F_SYNC_REG",
    "MPI_ALLOC_MEM_CPTR", "MPI_WIN_ALLOCATE_CPTR", "MPI_WIN_ALLOCATE_SHARED_CPTR", "MPI_WIN_SHARED_QUERY_CPTR",
    "MPI_WTIME_F90", "MPI_WTICK_F90", "MPI_AINT_ADD_F90", "MPI_AINT_DIFF_F90",
];
