! A sum of single-precision parts, in Fortran with the module mpi_f08.
! What is wrong: the workers send REAL, the collector receives DOUBLE PRECISION.
! ranks: 2
! expect: wrong-data-type ranks 0,1
program parts
  use mpi_f08
  implicit none
  integer :: rank, ranks, source
  real :: part(4)
  double precision :: received(2)
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank == 0) then
    do source = 1, ranks - 1
      call MPI_Recv(received, 2, MPI_DOUBLE_PRECISION, source, 5, MPI_COMM_WORLD, status) !~ wrong-data-type
    end do
  else
    part = real(rank)
    call MPI_Send(part, 4, MPI_REAL, 0, 5, MPI_COMM_WORLD) !~ wrong-data-type
  end if
  call MPI_Finalize()
end program parts
