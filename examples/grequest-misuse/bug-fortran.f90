! A generalized request of a Fortran program is given up and never completed.
!
! ranks: 1
! expect: grequest-misuse ranks 0

module counts_unset
    implicit none
    integer :: freed = 0, asked = 0, stopped = 0
end module

program generalized
    use counts_unset
    implicit none
    include 'mpif.h'
    integer :: request, ierror
    integer(kind=MPI_ADDRESS_KIND) :: state
    logical :: flag
    external :: query, release, cancel
    call MPI_Init(ierror)
    state = 7
    call MPI_Grequest_start(query, release, cancel, state, request, ierror) !~ grequest-misuse
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierror)
    if (.not. flag) call MPI_Request_free(request, ierror)
    call MPI_Finalize(ierror)
end program

subroutine query(extra_state, status, ierror)
    use counts_unset
    implicit none
    include 'mpif.h'
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: status(MPI_STATUS_SIZE), ierror
    asked = asked + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    status(MPI_SOURCE) = MPI_UNDEFINED
    status(MPI_TAG) = MPI_UNDEFINED
    ierror = MPI_SUCCESS
end subroutine

subroutine release(extra_state, ierror)
    use counts_unset
    implicit none
    include 'mpif.h'
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    if (extra_state == 7) freed = freed + 1
    ierror = MPI_SUCCESS
end subroutine

subroutine cancel(extra_state, complete, ierror)
    use counts_unset
    implicit none
    include 'mpif.h'
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete .and. extra_state == 7) stopped = stopped + 1
    ierror = MPI_SUCCESS
end subroutine
