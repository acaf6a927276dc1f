! Correct uses of memory in Fortran: arrays that go to procedures under another type or form, common blocks and
! equivalence, derived types with sequence, truth values as integers, sections and pointers, allocatable components.
!
! ranks: 2

module things
  implicit none
  type thing
    sequence
    real(8) :: place(3)
    integer :: id, kind
  end type
  type holder
    real, allocatable :: values(:)
    integer :: n
  end type
contains
  ! The memory of its caller, whatever that calls it.
  subroutine words(buffer, n)
    use mpi
    integer :: n, ierr
    integer :: buffer(*)
    call MPI_Bcast(buffer, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end subroutine
end module things

program variables
  use mpi
  use things
  implicit none
  integer :: ierr, rank, i, both(2)
  real(8) :: whole
  real(8), target :: field(4, 4)
  real(8), pointer :: column(:)
  logical :: flags(3)
  complex :: z(2)
  integer :: first(4), second(4)
  type(thing) :: one
  type(holder) :: many
  integer :: parts(2), kinds(2), thing_type
  integer(MPI_ADDRESS_KIND) :: places(2)
  common /shared/ first, second
  equivalence (whole, both)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  first = rank; second = rank; field = rank; flags = .true.; z = 1; whole = 1
  ! One member of a common block after the other.
  call MPI_Bcast(first, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(both, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(whole, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(flags, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(flags, 3, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(z, 4, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(z, 2, MPI_COMPLEX, 0, MPI_COMM_WORLD, ierr)
  column => field(:, 2)
  call MPI_Bcast(column, 4, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(field(1, 3), 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call words(transfer(whole, both), 2)
  call words(first, 4)

  one%place = rank; one%id = 1; one%kind = 2
  parts = [3, 2]
  kinds = [MPI_REAL8, MPI_INTEGER]
  places = [0_MPI_ADDRESS_KIND, 24_MPI_ADDRESS_KIND]
  call MPI_Type_create_struct(2, parts, places, kinds, thing_type, ierr)
  call MPI_Type_commit(thing_type, ierr)
  call MPI_Bcast(one, 1, thing_type, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(one%place(1), 1, thing_type, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(one%id, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Type_free(thing_type, ierr)

  many%n = 5
  allocate(many%values(many%n))
  many%values = [(i, i = 1, 5)]
  call MPI_Bcast(many%values, many%n, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(many%values(2), 3, MPI_REAL4, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program variables
