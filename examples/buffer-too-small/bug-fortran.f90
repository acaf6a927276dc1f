! Process 1 gets the parameters of process 0.
!
! What is wrong: there are 8 parameters, and 10 are sent.
! The fix: the array says how many there are.
!
! ranks: 2
! expect: buffer-too-small ranks 0

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
    call MPI_Send(parameters, 10, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr) !~ buffer-too-small
  end subroutine
end program parameters_of_all
