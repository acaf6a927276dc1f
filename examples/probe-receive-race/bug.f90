! Rank 0 receives parcels of any size from whoever is ready: it probes, makes room, and receives.
!
! What is wrong: the receive takes a parcel from anybody again, which need not be the one that the probe has found. A larger
! one that has come in the meantime does not fit into the room.
! The fix: the receive names the source that the probe has told.
!
! ranks: 3
! expect: probe-receive-race ranks 0

program main
    use mpi
    implicit none
    integer :: rank, length, parcel, ierror
    integer :: status(MPI_STATUS_SIZE)
    integer, allocatable :: parts(:)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) then
        do parcel = 1, 2
            call MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierror) !~ probe-receive-race
            call MPI_Get_count(status, MPI_INTEGER, length, ierror)
            allocate (parts(length))
            call MPI_Recv(parts, length, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierror) !~ probe-receive-race
            print '(a, i0, a)', 'a parcel of ', length, ' parts'
            deallocate (parts)
        end do
    else
        allocate (parts(10 * rank))
        parts = rank
        call sleep(rank - 1)
        call MPI_Send(parts, 10 * rank, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror) !~ probe-receive-race
        deallocate (parts)
    end if
    call MPI_Finalize(ierror)
end program main
