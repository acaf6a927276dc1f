! Rank 2 collects two numbers in its memory: rank 0 puts one there, rank 1 sends the other.
!
! What is wrong: displacements begin with 0, so that both numbers go to the same place.
! The fix: a displacement of 1.
!
! ranks: 3
! expect: rma-conflict ranks 0,2

program collect
    use mpi_f08
    implicit none
    integer :: rank, bytes, mine
    integer, asynchronous :: numbers(2)
    integer(kind=MPI_ADDRESS_KIND) :: size, place
    type(MPI_Win) :: window

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Type_size(MPI_INTEGER, bytes)
    numbers = 0
    size = 2 * bytes
    call MPI_Win_create(numbers, size, bytes, MPI_INFO_NULL, MPI_COMM_WORLD, window)
    mine = 10 + rank
    call MPI_Win_fence(0, window)
    if (rank == 0) then
        place = 0
        call MPI_Put(mine, 1, MPI_INTEGER, 2, place, 1, MPI_INTEGER, window) !~ rma-conflict
    else if (rank == 1) then
        call MPI_Send(mine, 1, MPI_INTEGER, 2, 1, MPI_COMM_WORLD)
    else
        call MPI_Recv(numbers(1), 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !~ rma-conflict
    end if
    call MPI_Win_fence(0, window)
    call MPI_Win_free(window)
    call MPI_Finalize()
end program collect
