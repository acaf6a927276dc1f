! The twin of bug-fortran.f90: the call says the type of the field.
!
! ranks: 2

module fields
  implicit none
  real(8), allocatable :: density(:, :)
end module fields

program everybody
  use mpi
  use fields
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  allocate(density(4, 4))
  density = 1
  call MPI_Bcast(density(:, 1), 4, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program everybody
