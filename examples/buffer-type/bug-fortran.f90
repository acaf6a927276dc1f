! All processes get the field of process 0, which is an allocatable array of a module.
!
! What is wrong: the field is real(8), and the call says MPI_REAL.
! The fix: it says MPI_REAL8.
!
! ranks: 2
! expect: buffer-type ranks 0,1

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
  call MPI_Bcast(density(:, 1), 4, MPI_REAL, 0, MPI_COMM_WORLD, ierr) !~ buffer-type
  call MPI_Finalize(ierr)
end program everybody
