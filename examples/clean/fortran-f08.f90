! The module mpi_f08: typed handles, columns and rows of one array pending at once, arguments left out.
!
! Correct: handles are compared with ==, ierror is optional, MPI_STATUSES_IGNORE has a type of its own; interleaved rows
! of a column-major array do not overlap (MPI 4.1, 19.1.2 and 3.7.2).
!
! ranks: 2
program fortran_f08
  use mpi_f08
  implicit none
  integer, parameter :: n = 6
  integer :: rank, other, wrong, i, j, count
  integer, asynchronous :: a(n, n), b(n, n)
  type(MPI_Datatype) :: row, corner
  type(MPI_Request) :: requests(2 * n), copies(2 * n)
  type(MPI_Status) :: status
  type(MPI_Comm) :: comm, nobody
  type(MPI_Info) :: info
  logical :: done
  integer, asynchronous :: sums(3), whole

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  wrong = 0
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  if (comm == MPI_COMM_WORLD) wrong = wrong + 1
  call MPI_Comm_split(comm, MPI_UNDEFINED, 0, nobody)
  if (nobody /= MPI_COMM_NULL) wrong = wrong + 1
  call MPI_Info_create(info)
  call MPI_Info_free(info)

  call MPI_Type_vector(n, 1, n, MPI_INTEGER, row)
  call MPI_Type_commit(row)
  a = reshape([(i + 100 * rank, i = 1, n * n)], [n, n])
  b = -1
  do i = 1, n
    call MPI_Irecv(b(i, 1), 1, row, other, i, comm, requests(i))
  end do
  do j = 1, n
    ! Columns are contiguous here; they become the rows of the other.
    call MPI_Isend(a(:, j), n, MPI_INTEGER, other, j, comm, requests(n + j))
  end do
  call MPI_Type_free(row)
  copies = requests
  call MPI_Waitall(2 * n, copies, MPI_STATUSES_IGNORE)
  if (any(b /= transpose(a) + 100 * (other - rank))) wrong = wrong + 1

  call MPI_Type_create_subarray(2, [n, n], [2, 3], [n - 2, n - 3], MPI_ORDER_FORTRAN, MPI_INTEGER, corner)
  call MPI_Type_commit(corner)
  b = -1
  if (rank == 0) then
    call MPI_Send(a, 1, corner, 1, 50, comm)
  else
    call MPI_Recv(b, n * n, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    if (count /= 6 .or. status%MPI_TAG /= 50 .or. b(1, 1) /= 23 .or. b(2, 1) /= 24 .or. b(6, 1) /= 36) wrong = wrong + 1
    if (b(1, 2) /= -1) wrong = wrong + 1
  end if
  call MPI_Type_free(corner)

  call MPI_Irecv(b, 0, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG, comm, requests(1))
  done = .false.
  do while (.not. done)
    call MPI_Test(requests(1), done, status)
  end do
  if (requests(1) /= MPI_REQUEST_NULL) wrong = wrong + 1
  sums = rank + [1, 2, 3]
  call MPI_Iallreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, comm, requests(1))
  whole = rank
  call MPI_Ibcast(whole, 1, MPI_INTEGER, 1, comm, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Comm_free(comm)
  if (any(sums /= [3, 5, 7]) .or. whole /= 1) wrong = wrong + 1
  call MPI_Finalize()
  if (wrong /= 0) stop 1
end program fortran_f08
