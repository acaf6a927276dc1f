! A field goes to the other process in partitions.
!
! What is wrong: the loop counts the partitions from 1, as Fortran counts. MPI counts them from 0: the first one is never marked
! ready, and the last number is that of no partition.
! The fix: the numbers begin with 0.
!
! ranks: 2
! mpi: mpich (Open MPI 4.1 implements MPI 3.1)
! expect: partitioned-misuse ranks 0

program partitions
    use mpi
    implicit none
    integer, parameter :: parts = 4
    integer(kind=MPI_COUNT_KIND), parameter :: each = 250
    double precision :: field(parts * each)
    integer :: ierr, rank, request, part

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    field = rank
    if (rank == 0) then
        call MPI_Psend_init(field, parts, each, MPI_DOUBLE_PRECISION, 1, 0, &
                            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    else
        call MPI_Precv_init(field, parts, each, MPI_DOUBLE_PRECISION, 0, 0, &
                            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end if
    call MPI_Start(request, ierr)
    if (rank == 0) then
        do part = 1, parts
            call MPI_Pready(part, request, ierr) !~ partitioned-misuse
        end do
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Finalize(ierr)
end program partitions
