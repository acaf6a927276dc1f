! What Fortran has of its own: a halo exchange with the module mpi, sums in place, MPI_BOTTOM, LOGICAL and character
! arguments, statuses as arrays, a user's reduction operation, attributes and a callback that is called when they go.
! ranks: 4
module callbacks
  implicit none
contains
  subroutine largest(invec, inoutvec, len, datatype)
    integer :: len, datatype, i
    integer :: invec(len), inoutvec(len)
    do i = 1, len
      inoutvec(i) = max(invec(i), inoutvec(i) + 0 * datatype)
    end do
  end subroutine largest

  subroutine gone(comm, keyval, attribute, extra, ierror)
    use mpi
    integer :: comm, keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute, extra
    logical :: finalized
    ! A callback calls MPI itself.
    call MPI_Finalized(finalized, ierror)
    if (finalized .or. attribute /= 77 .or. extra /= 5 .or. keyval == MPI_KEYVAL_INVALID) call MPI_Abort(comm, 9, ierror)
    ierror = MPI_SUCCESS
  end subroutine gone
end module callbacks

program fortran
  use mpi
  use callbacks
  implicit none
  integer, parameter :: n = 64
  integer :: ierr, rank, ranks, left, right, step, op, keyval, comm, request(4), sizes(1), length
  integer :: statuses(MPI_STATUS_SIZE, 4), status(MPI_STATUS_SIZE), column, best(3)
  integer(MPI_ADDRESS_KIND) :: value, address
  logical :: periodic(1), found
  double precision :: u(0:n + 1, 4), total
  character(MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  sizes(1) = ranks
  periodic(1) = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periodic, .false., comm, ierr)
  call MPI_Comm_set_name(comm, 'the ring   ', ierr)
  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Cart_shift(comm, 0, 1, left, right, ierr)

  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gone, keyval, 5_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_set_attr(comm, keyval, 77_MPI_ADDRESS_KIND, ierr)

  u = rank
  do step = 1, 50
    call MPI_Irecv(u(0, 1), 1, MPI_DOUBLE_PRECISION, left, 1, comm, request(1), ierr)
    call MPI_Irecv(u(n + 1, 1), 1, MPI_DOUBLE_PRECISION, right, 2, comm, request(2), ierr)
    call MPI_Isend(u(n, 1), 1, MPI_DOUBLE_PRECISION, right, 1, comm, request(3), ierr)
    call MPI_Isend(u(1, 1), 1, MPI_DOUBLE_PRECISION, left, 2, comm, request(4), ierr)
    if (mod(step, 2) == 0) then
      call MPI_Waitall(4, request, statuses, ierr)
    else
      call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, ierr)
    end if
    u(1:n, 1) = (u(0:n - 1, 1) + u(2:n + 1, 1)) / 2
  end do

  ! A row of the array by its address.
  call MPI_Get_address(u(1, 1), address, ierr)
  call MPI_Type_create_hindexed(1, [4], [address], MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  if (rank == 0) then
    call MPI_Send(MPI_BOTTOM, 1, column, 1, 7, comm, ierr)
  else if (rank == 1) then
    call MPI_Recv(u(1, 2), 4, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status, ierr)
    if (status(MPI_SOURCE) /= 0 .or. status(MPI_TAG) /= 7) call MPI_Abort(comm, 1, ierr)
  end if
  call MPI_Type_free(column, ierr)

  total = sum(u(1:n, 1))
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
  call MPI_Op_create(largest, .true., op, ierr)
  best = rank
  call MPI_Allreduce(MPI_IN_PLACE, best, 3, MPI_INTEGER, op, comm, ierr)
  call MPI_Op_free(op, ierr)

  call MPI_Iprobe(MPI_ANY_SOURCE, 99, comm, found, status, ierr)
  call MPI_Comm_get_attr(comm, keyval, value, periodic(1), ierr)
  call MPI_Comm_get_name(comm, name, length, ierr)
  if (rank == 0) print '(a, 1x, i0, 2(1x, l1), 1x, i0, 1x, f8.2)', name(1:length), best(1), found, periodic(1), &
    value, total
  call MPI_Comm_free(comm, ierr)
  call MPI_Comm_free_keyval(keyval, ierr)
  call MPI_Finalize(ierr)
end program fortran
