! Two processes give each other a block of numbers.
!
! What is wrong: process 0 says that they are reals, process 1 that they are integers. The two must name the same type.
! The fix: both say that they are reals.
!
! ranks: 2
! expect: neighbour-mismatch ranks 0,1

program blocks
    use mpi
    implicit none
    integer :: ierr, rank, line, kind_of_number
    real :: value(4), values(8)

    call MPI_Init(ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.false.], .false., line, ierr)
    call MPI_Comm_rank(line, rank, ierr)
    value = rank
    kind_of_number = MPI_REAL
    if (rank == 1) kind_of_number = MPI_INTEGER
    call MPI_Neighbor_allgather(value, 4, kind_of_number, values, 4, kind_of_number, line, ierr) !~ neighbour-mismatch
    call MPI_Comm_free(line, ierr)
    call MPI_Finalize(ierr)
end program blocks
