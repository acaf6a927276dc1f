! The program of bug-f08.f90 with receives that are started before the sends.
!
! ranks: 3

program rows
    use mpi_f08
    implicit none
    integer, parameter :: width = 10
    integer :: rank, ranks
    double precision :: mine(width)
    double precision, asynchronous :: above(width)
    type(MPI_Request) :: request

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    mine = rank
    call MPI_Irecv(above, width, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 5, MPI_COMM_WORLD, request)
    call MPI_Send(mine, width, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 5, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) print '(a, f4.1)', 'above: ', above(1)
    call MPI_Finalize()
end program
