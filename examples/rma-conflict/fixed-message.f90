! Rank 0 writes into the memory of rank 2, tells rank 1 by a message, and rank 1 writes there, too.
!
! What is wrong: rank 0 flushes after the message, so that its data may overwrite what rank 1 writes.
! The fix: the flush comes before the message.
!
! ranks: 3

program table
    use mpi
    implicit none
    integer :: rank, error, window, mine, bytes
    integer :: memory(4)
    integer(kind=MPI_ADDRESS_KIND) :: size, place

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Type_size(MPI_INTEGER, bytes, error)
    memory = 0
    size = 4 * bytes
    place = 1
    call MPI_Win_create(memory, size, bytes, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
    mine = 10 + rank
    call MPI_Win_lock_all(0, window, error)
    if (rank == 0) then
        call MPI_Put(mine, 1, MPI_INTEGER, 2, place, 1, MPI_INTEGER, window, error)
        call MPI_Win_flush(2, window, error)
        call MPI_Send(mine, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
    else if (rank == 1) then
        call MPI_Recv(mine, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call MPI_Put(mine, 1, MPI_INTEGER, 2, place, 1, MPI_INTEGER, window, error)
    end if
    call MPI_Win_unlock_all(window, error)
    call MPI_Win_free(window, error)
    call MPI_Finalize(error)
end program table
