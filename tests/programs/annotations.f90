! Says things to mpivet in a program of the module mpi_f08.

include 'mpivet.f90'

program marks
  use mpi_f08
  use mpivet
  implicit none
  integer :: total
  integer, target :: rank
  real, target :: grid(2, 3)
  call mpivet_region_begin('too early')
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  grid = 0.5
  call mpivet_region_begin('sum  ')
  call mpivet_dump('grid', grid, size(grid), MPI_REAL%MPI_VAL)
  call mpivet_dump('rank', rank, 1, MPI_INTEGER%MPI_VAL)
  call mpivet_watch('grid', grid, 24_8)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call mpivet_unwatch('grid')
  call mpivet_region_end('sum')
  call MPI_Finalize()
  call mpivet_region_end('too late')
  print '(i0)', total
end program
