! Correct: query_fn says how many elements there are and whether the request was cancelled.
!
! ranks: 1

module counts_set
    implicit none
    integer :: freed = 0, asked = 0, stopped = 0
end module

program generalized
    use counts_set
    implicit none
    include 'mpif.h'
    integer :: request, handle, ierror, elements
    integer :: status(MPI_STATUS_SIZE)
    integer(kind=MPI_ADDRESS_KIND) :: state
    logical :: flag
    external :: query, release, cancel
    call MPI_Init(ierror)
    state = 7
    call MPI_Grequest_start(query, release, cancel, state, request, ierror)
    handle = request
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierror)
    call MPI_Grequest_complete(handle, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Get_elements(status, MPI_INTEGER, elements, ierror)
    print *, 'elements', elements, 'tag', status(MPI_TAG), 'freed', freed, 'asked', asked > 0
    call MPI_Grequest_start(query, release, cancel, state, request, ierror)
    call MPI_Cancel(request, ierror)
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    print *, 'cancelled', flag, 'freed', freed
    call MPI_Finalize(ierror)
end program

subroutine query(extra_state, status, ierror)
    use counts_set
    implicit none
    include 'mpif.h'
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: status(MPI_STATUS_SIZE), ierror
    asked = asked + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierror)
    call MPI_Status_set_cancelled(status, stopped > 0, ierror)
    status(MPI_SOURCE) = MPI_UNDEFINED
    status(MPI_TAG) = 5
    ierror = MPI_SUCCESS
end subroutine

subroutine release(extra_state, ierror)
    use counts_set
    implicit none
    include 'mpif.h'
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    if (extra_state == 7) freed = freed + 1
    ierror = MPI_SUCCESS
end subroutine

subroutine cancel(extra_state, complete, ierror)
    use counts_set
    implicit none
    include 'mpif.h'
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete .and. extra_state == 7) stopped = stopped + 1
    ierror = MPI_SUCCESS
end subroutine
