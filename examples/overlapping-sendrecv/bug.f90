! The ranks pass the upper part of an array around a ring.
!
! What is wrong: the received part begins in the middle of the part that is sent.
! The fix: the received part takes the place of the lower half.
!
! ranks: 3
! expect: overlapping-sendrecv ranks 0,1,2

program ring
  use mpi
  implicit none
  integer :: ierror, rank, ranks, values(10)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  values = rank
  call MPI_Sendrecv(values(6), 5, MPI_INTEGER, mod(rank + 1, ranks), 0, &
                    values(3), 5, MPI_INTEGER, mod(rank + ranks - 1, ranks), 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) !~ overlapping-sendrecv
  call MPI_Finalize(ierror)
end program ring
