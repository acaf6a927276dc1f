! The twin of bug-fortran.f90: the array says how many parameters there are.
!
! ranks: 2

program parameters_of_all
  use mpi
  implicit none
  integer :: ierr, rank
  real(8), allocatable :: all_of_them(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) call send_all
  if (rank == 1) then
    allocate(all_of_them(10))
    call MPI_Recv(all_of_them, 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize(ierr)
contains
  subroutine send_all
    real(8) :: parameters(8)
    parameters = 1
    call MPI_Send(parameters, size(parameters), MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
  end subroutine
end program parameters_of_all
