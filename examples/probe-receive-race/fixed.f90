! The program of bug.f90; the receive names the source that the probe has told.
!
! ranks: 3

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
            call MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierror)
            call MPI_Get_count(status, MPI_INTEGER, length, ierror)
            allocate (parts(length))
            call MPI_Recv(parts, length, MPI_INTEGER, status(MPI_SOURCE), 0, MPI_COMM_WORLD, status, ierror)
            print '(a, i0, a)', 'a parcel of ', length, ' parts'
            deallocate (parts)
        end do
    else
        allocate (parts(10 * rank))
        parts = rank
        call sleep(rank - 1)
        call MPI_Send(parts, 10 * rank, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
        deallocate (parts)
    end if
    call MPI_Finalize(ierror)
end program main
