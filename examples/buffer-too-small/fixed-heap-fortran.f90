! The twin of bug-heap-fortran.f90: the array has room for the border.
!
! ranks: 2
! options: --heap

program corrections_of_cells
  use mpi
  implicit none
  integer, parameter :: cells = 30
  integer :: ierr, rank
  real(8), allocatable :: corrections(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    allocate(corrections(cells + 2))
    corrections = 0
    call MPI_Send(corrections, cells + 2, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
  else
    allocate(corrections(cells + 2))
    call MPI_Recv(corrections, cells + 2, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  deallocate(corrections)
  call MPI_Finalize(ierr)
end program corrections_of_cells
