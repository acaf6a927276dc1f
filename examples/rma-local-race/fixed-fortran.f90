! Each process adds to a sum of the other one, and to its own.
!
! ranks: 2
! options: --precise

program sums
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer, parameter :: n = 1024
  integer :: rank
  real(8) :: part(n)
  real(8), pointer :: own(:)
  type(c_ptr) :: base
  type(MPI_Win) :: win
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Win_allocate(8_MPI_ADDRESS_KIND * n, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, own, [n])
  own = 0
  part = rank
  call MPI_Win_fence(0, win)
  call MPI_Accumulate(part, n, MPI_DOUBLE_PRECISION, 1 - rank, 0_MPI_ADDRESS_KIND, n, MPI_DOUBLE_PRECISION, MPI_SUM, win)
  call MPI_Accumulate(part(1), 1, MPI_DOUBLE_PRECISION, rank, 99_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, MPI_SUM, win)
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize
end program sums
