module helper
use, intrinsic :: iso_c_binding
!u
implicit none
!h
character(len=1024) :: path
contains

subroutine open_witness()
    character(len=1024) :: prefix, name
    call get_command_argument(1, prefix)
    write(name, '(a,a,i0)') trim(prefix), '.', getpid()
    path = trim(prefix)//'.data'
    open(unit=77, file=trim(name), status='replace', action='write')
end subroutine

subroutine wi(when, line, name, values)
    character(len=*), intent(in) :: when, name
    integer, intent(in) :: line
    integer(8), intent(in) :: values(:)
    write(77, '(a,1x,i0,1x,a,*(1x,i0))') when, line, name, values
end subroutine

subroutine wt(when, line, name, text)
    character(len=*), intent(in) :: when, name, text
    integer, intent(in) :: line
    integer :: i
    write(77, '(a,1x,i0,1x,a,1x,*(z2.2))') when//'-text', line, name, (ichar(text(i:i)), i = 1, len_trim(text))
end subroutine

subroutine must(error, line)
    integer, intent(in) :: error, line
    if (error /= MPI_SUCCESS) then
        write(0, '(a,i0,a,i0)') 'line ', line, ': error ', error
        flush(77)
        stop 99
    end if
end subroutine

! Callbacks of MPI.

!8 subroutine op_fn(invec, inoutvec, len, datatype)
!8     type(c_ptr), value :: invec, inoutvec
!8     integer :: len
!8     type(MPI_Datatype) :: datatype
!8     integer, pointer :: a(:), b(:)
!8     call c_f_pointer(invec, a, [len])
!8     call c_f_pointer(inoutvec, b, [len])
!8     b = b + a
!8 end subroutine
!i subroutine op_fn(a, b, len, datatype)
!i     integer :: len, datatype
!i     integer :: a(len), b(len)
!i     b = b + a
!i end subroutine

subroutine comm_error_fn(comm, error)
!8     type(MPI_Comm) :: comm
!i     integer :: comm
    integer :: error
end subroutine

subroutine win_error_fn(win, error)
!8     type(MPI_Win) :: win
!i     integer :: win
    integer :: error
end subroutine

subroutine file_error_fn(file, error)
!8     type(MPI_File) :: file
!i     integer :: file
    integer :: error
end subroutine

!t subroutine session_error_fn(session, error)
!t     type(MPI_Session) :: session
!t     integer :: error
!t end subroutine
!s subroutine session_error_fn(session, error)
!s     integer :: session
!s     integer :: error
!s end subroutine

subroutine query_fn(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
!8     type(MPI_Status) :: status
!i     integer :: status(MPI_STATUS_SIZE)
    integer :: ierror
!8     status%MPI_SOURCE = MPI_UNDEFINED
!8     status%MPI_TAG = MPI_UNDEFINED
!i     status(MPI_SOURCE) = MPI_UNDEFINED
!i     status(MPI_TAG) = MPI_UNDEFINED
    ierror = MPI_SUCCESS
end subroutine

subroutine free_fn(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    ierror = MPI_SUCCESS
end subroutine

subroutine cancel_fn(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
end subroutine

subroutine extent_fn(datatype, extent, extra_state, ierror)
!8     type(MPI_Datatype) :: datatype
!i     integer :: datatype
    integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    extent = 4
    ierror = MPI_SUCCESS
end subroutine
end module

