! Each rank gives its lowest row to the rank below and takes the highest row of the rank above; the ranks are a ring.
!
! What is wrong: all ranks send before they receive, and rely on the library to buffer the rows.
! The fix: the receives are started first.
!
! ranks: 3
! expect: potential-deadlock ranks 0,1,2

program rows
    use mpi_f08
    implicit none
    integer, parameter :: width = 10
    integer :: rank, ranks
    double precision :: mine(width), above(width)

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    mine = rank
    call MPI_Send(mine, width, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 5, MPI_COMM_WORLD) !~ potential-deadlock
    call MPI_Recv(above, width, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (rank == 0) print '(a, f4.1)', 'above: ', above(1)
    call MPI_Finalize()
end program
