! Two ranks send to each other before they receive: right only as long as the library buffers the messages.
program head_to_head
  use mpi
  implicit none
  integer :: rank, other, ierr
  double precision :: sent(10), received(10)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  sent = rank
  call MPI_Send(sent, 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)
  call MPI_Recv(received, 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program head_to_head
