! A ring in the style of Fortran 77, with mpif.h.
! Each rank sends to its right neighbour and receives from its left one in one call.
! ranks: 3
program ring
  implicit none
  include 'mpif.h'
  integer ierr, rank, ranks, left, right, mine, theirs

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  mine = rank
  call MPI_SENDRECV(mine, 1, MPI_INTEGER, right, 1, theirs, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call MPI_FINALIZE(ierr)
end program ring
