! The twin of bug-types.f90: both processes name the type of reals.
!
! ranks: 2

program blocks
    use mpi
    implicit none
    integer :: ierr, rank, line
    real :: value(4), values(8)

    call MPI_Init(ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.false.], .false., line, ierr)
    call MPI_Comm_rank(line, rank, ierr)
    value = rank
    call MPI_Neighbor_allgather(value, 4, MPI_REAL, values, 4, MPI_REAL, line, ierr)
    call MPI_Comm_free(line, ierr)
    call MPI_Finalize(ierr)
end program blocks
