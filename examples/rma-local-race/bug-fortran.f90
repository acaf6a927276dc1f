! Each process adds to a sum of the other one, and to its own.
!
! What is wrong: its own sum is in the window, where the other process adds in the same epoch.
! The fix: it adds to its own by MPI_Accumulate, too.
!
! ranks: 2
! options: --precise
! expect: rma-local-race ranks 0,1

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
  own(100) = own(100) + part(1) !~ rma-local-race
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize
end program sums
