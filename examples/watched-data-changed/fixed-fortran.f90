! The limits of a computation are constant, and the program asks mpivet to watch them.
!
! Correct: the sum has an array of its own.
!
! ranks: 2

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
  call MPI_Allreduce(limit, total, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call mpivet_region_end('sum')
  call mpivet_dump('limit', limit, 4, MPI_DOUBLE_PRECISION)
  call mpivet_unwatch('limit')
  call MPI_Finalize(ierr)
end program
