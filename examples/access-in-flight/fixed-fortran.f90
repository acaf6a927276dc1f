! Each process sends a field to the next one, and then computes the next step.
!
! Correct: the array is sent before the next step is computed in it.
!
! ranks: 2
! options: --precise

program field_of_steps
  use mpi
  implicit none
  integer, parameter :: n = 100000
  integer :: ierr, rank, request
  real(8), allocatable :: field(:), other(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate(field(n), other(n))
  field = rank
  call MPI_Isend(field, n, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, request, ierr)
  call MPI_Recv(other, n, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call step
  deallocate(field, other)
  call MPI_Finalize(ierr)
contains
  subroutine step
    integer :: i
    do i = 1, n
      field(i) = field(i) + 1
    end do
  end subroutine
end program field_of_steps
