! One-sided communication from Fortran: a ring of puts between fences, counting under locks, a column of a matrix.
!
! Correct: each rank has cells of its own, and buffers are used again when a flush has completed the access.
!
! ranks: 3

program window_fortran
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 4
  integer :: ierr, rank, nranks, next, win, column, i, bytes
  integer(kind=MPI_ADDRESS_KIND) :: size, place
  double precision :: memory(n, n), mine(n), got(n)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  next = mod(rank + 1, nranks)
  memory = 0
  mine = rank
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  call MPI_Type_size(MPI_DOUBLE_PRECISION, bytes, ierr)
  size = n * n * bytes
  call MPI_Win_create(memory, size, bytes, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)

  call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierr)
  place = rank
  call MPI_Put(mine, n, MPI_DOUBLE_PRECISION, next, place, 1, column, win, ierr)
  if (next /= 0) call MPI_Put(mine, n, MPI_DOUBLE_PRECISION, 0, place, 1, column, win, ierr)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)

  place = n * n - 1
  do i = 1, 3
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win, ierr)
    call MPI_Get(got, 1, MPI_DOUBLE_PRECISION, next, place, 1, MPI_DOUBLE_PRECISION, win, ierr)
    call MPI_Win_flush(next, win, ierr)
    got(1) = got(1) + 1
    call MPI_Put(got, 1, MPI_DOUBLE_PRECISION, next, place, 1, MPI_DOUBLE_PRECISION, win, ierr)
    call MPI_Win_unlock(next, win, ierr)
  end do
  call MPI_Win_free(win, ierr)
  call MPI_Type_free(column, ierr)
  call MPI_Finalize(ierr)
end program window_fortran
