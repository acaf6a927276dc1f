! What a Fortran program can say to mpivet: names of its phases, data to watch, arrays for the trace.
!
! Compile this file with the program, or write `include 'mpivet.f90'` above it. There is nothing to link, and nothing
! happens without mpivet: every procedure is a call of C's MPI_Pcontrol, which MPI has for tools, with a level that MPI
! libraries do not know and ignore. They have an effect between MPI_Init and MPI_Finalize.
module mpivet
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_loc, c_null_ptr, c_char, c_null_char
  implicit none
  private
  public :: mpivet_region_begin, mpivet_region_end, mpivet_watch, mpivet_unwatch, mpivet_dump

  ! A request to mpivet: eight-byte words, the same in C and Fortran.
  type, bind(c) :: request
    integer(c_int64_t) :: magic = int(z'6d70697665740001', c_int64_t)
    integer(c_int64_t) :: action = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: address = c_null_ptr
    integer(c_int64_t) :: count = 0
    integer(c_int64_t) :: datatype = 0
  end type

  interface
    integer(c_int) function initialized(flag) bind(c, name='MPI_Initialized')
      import :: c_int
      integer(c_int), intent(out) :: flag
    end function
    integer(c_int) function finalized(flag) bind(c, name='MPI_Finalized')
      import :: c_int
      integer(c_int), intent(out) :: flag
    end function
    integer(c_int) function pcontrol(level, what) bind(c, name='MPI_Pcontrol')
      import :: c_int, request
      integer(c_int), value :: level
      type(request), intent(in) :: what
    end function
  end interface

  ! watch(name, data, bytes): from now on these bytes are not to change: mpivet compares them at every MPI call
  ! (watched-data-changed). Call mpivet_unwatch before the memory is freed. The variable should be TARGET or VOLATILE,
  ! so that it is in memory.
  interface mpivet_watch
    module procedure mpivet_watch_int, mpivet_watch_long
  end interface

  ! dump(name, data, count, datatype): writes a contiguous array to the trace, at most 1 MiB: `mpivet print --dumps`
  ! shows it. The datatype is the integer of `mpif.h` and `use mpi`; of `use mpi_f08` it is `datatype%MPI_VAL`.
  interface mpivet_dump
    module procedure mpivet_dump_int, mpivet_dump_long
  end interface

contains

  ! A phase of the program begins, or ends. Regions may be nested.
  subroutine mpivet_region_begin(name)
    character(*), intent(in) :: name
    call mpivet_ask(1, name, c_null_ptr, 0_c_int64_t, 0)
  end subroutine

  subroutine mpivet_region_end(name)
    character(*), intent(in) :: name
    call mpivet_ask(2, name, c_null_ptr, 0_c_int64_t, 0)
  end subroutine

  subroutine mpivet_watch_int(name, data, bytes)
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in), target :: data
    integer(c_int), intent(in) :: bytes
    call mpivet_ask(3, name, c_loc(data), int(bytes, c_int64_t), 0)
  end subroutine

  subroutine mpivet_watch_long(name, data, bytes)
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in), target :: data
    integer(c_int64_t), intent(in) :: bytes
    call mpivet_ask(3, name, c_loc(data), bytes, 0)
  end subroutine

  subroutine mpivet_unwatch(name)
    character(*), intent(in) :: name
    call mpivet_ask(4, name, c_null_ptr, 0_c_int64_t, 0)
  end subroutine

  subroutine mpivet_dump_int(name, data, count, datatype)
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in), target :: data
    integer(c_int), intent(in) :: count
    integer, intent(in) :: datatype
    call mpivet_ask(6, name, c_loc(data), int(count, c_int64_t), datatype)
  end subroutine

  subroutine mpivet_dump_long(name, data, count, datatype)
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in), target :: data
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: datatype
    call mpivet_ask(6, name, c_loc(data), count, datatype)
  end subroutine

  subroutine mpivet_ask(action, name, address, count, datatype)
    integer, intent(in) :: action, datatype
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: count
    character(kind=c_char, len=len(name) + 1), target :: text
    type(request) :: what
    integer(c_int) :: flag, code
    code = initialized(flag)
    if (flag == 0) return
    code = finalized(flag)
    if (flag /= 0) return
    text = trim(name) // c_null_char
    what%action = action
    what%name = c_loc(text)
    what%address = address
    what%count = count
    what%datatype = datatype
    code = pcontrol(int(z'4d505654', c_int), what)
  end subroutine

end module mpivet
