! The limits of a computation are constant, and the program asks mpivet to watch them.
!
! What is wrong: the sum over the ranks is written over the limits.
! The fix: another array for the sum.
!
! ranks: 2
! expect: watched-data-changed ranks 0,1

include 'mpivet.f90'

program limits
  use mpi
  use mpivet
  implicit none
  double precision, target :: limit(4) = [1d0, 2d0, 3d0, 4d0]
  double precision :: total(4)
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpivet_watch('limit', limit, 32)
  call mpivet_region_begin('sum')
  call MPI_Allreduce(MPI_IN_PLACE, limit, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr) !~ watched-data-changed
  call mpivet_region_end('sum')
  call mpivet_dump('limit', limit, 4, MPI_DOUBLE_PRECISION)
  call mpivet_unwatch('limit')
  call MPI_Finalize(ierr)
end program
