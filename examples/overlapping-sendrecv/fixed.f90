! The ranks pass the upper half of an array around a ring.
!
! Correct: the received half takes the place of the lower half, which is not sent.
!
! ranks: 3

program ring
  use mpi
  implicit none
  integer :: ierror, rank, ranks, values(10)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  values = rank
  call MPI_Sendrecv(values(6), 5, MPI_INTEGER, mod(rank + 1, ranks), 0, &
                    values(1), 5, MPI_INTEGER, mod(rank + ranks - 1, ranks), 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Finalize(ierror)
end program ring
