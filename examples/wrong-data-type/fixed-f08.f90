! A sum of single-precision parts, in Fortran with the module mpi_f08.
! The same type on both sides.
! ranks: 2
program parts
  use mpi_f08
  implicit none
  integer :: rank, ranks, source
  real :: part(4)
  real :: received(4)
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (rank == 0) then
    do source = 1, ranks - 1
      call MPI_Recv(received, 4, MPI_REAL, source, 5, MPI_COMM_WORLD, status)
    end do
  else
    part = real(rank)
    call MPI_Send(part, 4, MPI_REAL, 0, 5, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program parts
