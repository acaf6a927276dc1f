! One mistake in a subroutine that is called from several: integers are sent and reals received.
module border
  use mpi
  implicit none
  integer :: rank, ierr
contains
  subroutine exchange(n)
    integer, intent(in) :: n
    integer :: numbers(4)
    real :: places(4)
    numbers = n
    if (mod(rank, 2) == 0) then
      call MPI_Send(numbers, 4, MPI_INTEGER, rank + 1, n, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(places, 4, MPI_REAL, rank - 1, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
  end subroutine exchange

  recursive subroutine deeper(n)
    integer, intent(in) :: n
    if (n > 0) then
      call deeper(n - 1)
    end if
    call exchange(n)
  end subroutine deeper
end module border

program many_paths
  use border
  implicit none
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call exchange(7)
  call deeper(3)
  call MPI_Finalize(ierr)
end program many_paths
