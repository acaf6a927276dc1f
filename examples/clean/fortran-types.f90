! What only Fortran has among the types: logicals in reductions, types by precision, pairs of doubles, characters of a
! substring, common blocks by absolute addresses.
!
! Correct: types by precision are predefined, neither committed nor freed, and match what was made with the same
! precision (MPI 4.1, 19.1.9); a COMMON block is sent by a type of its parts at MPI_BOTTOM (5.1.12).
!
! ranks: 2
program fortran_types
  use mpi
  implicit none
  integer, parameter :: wide = selected_real_kind(12, 200), long = selected_int_kind(12)
  integer :: rank, other, wrong, ierror, real_type, again, long_type, block, sized, i
  integer :: status(MPI_STATUS_SIZE), lengths(3), types(3)
  integer(MPI_ADDRESS_KIND) :: places(3)
  logical :: mine(3), all_of(3), any_of(3), odd(3)
  real(wide) :: out(4), in(4)
  integer(long) :: number, sum_of
  double precision :: pair(2), best(2)
  complex :: z(2), product_of(2)
  character(len=12) :: text
  integer :: n
  double precision :: x
  character(len=4) :: name
  common /everything/ x, n, name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  other = 1 - rank
  wrong = 0

  mine = [rank == 0, rank == 1, .true.]
  call MPI_Allreduce(mine, all_of, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(mine, any_of, 3, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(mine, odd, 3, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierror)
  if (any(all_of .neqv. [.false., .false., .true.]) .or. .not. all(any_of)) wrong = wrong + 1
  if (any(odd .neqv. [.true., .true., .false.])) wrong = wrong + 1

  call MPI_Type_create_f90_real(12, 200, real_type, ierror)
  call MPI_Type_create_f90_real(12, 200, again, ierror)
  call MPI_Type_create_f90_integer(12, long_type, ierror)
  if (again /= real_type) wrong = wrong + 1
  out = [(real(i + 10 * rank, wide), i = 1, 4)]
  call MPI_Sendrecv(out, 4, real_type, other, 0, in, 4, again, other, 0, MPI_COMM_WORLD, status, ierror)
  if (any(in /= [(real(i + 10 * other, wide), i = 1, 4)])) wrong = wrong + 1
  number = 2_long**40 + rank
  call MPI_Allreduce(number, sum_of, 1, long_type, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (sum_of /= 2_long**41 + 1) wrong = wrong + 1
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, sized, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, out, 4, sized, MPI_MIN, MPI_COMM_WORLD, ierror)
  if (out(1) /= 1) wrong = wrong + 1

  pair = [dble(10 - rank), dble(rank)]
  call MPI_Allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierror)
  if (best(2) /= 1) wrong = wrong + 1
  z = [cmplx(1, rank), cmplx(2, 0)]
  call MPI_Allreduce(z, product_of, 2, MPI_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierror)
  if (product_of(1) /= (1, 1) .or. product_of(2) /= (4, 0)) wrong = wrong + 1

  text = 'abcdefghijkl'
  ! Two disjoint substrings of one variable.
  call MPI_Sendrecv(text(1:3), 3, MPI_CHARACTER, other, 1, text(7:9), 3, MPI_CHARACTER, other, 1, &
                    MPI_COMM_WORLD, status, ierror)
  if (text /= 'abcdefabcjkl') wrong = wrong + 1

  x = 0.5d0 * rank
  n = rank
  name = merge('zero', 'unit', rank == 0)
  call MPI_Get_address(x, places(1), ierror)
  call MPI_Get_address(n, places(2), ierror)
  call MPI_Get_address(name, places(3), ierror)
  lengths = [1, 1, 4]
  types = [MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_CHARACTER]
  call MPI_Type_create_struct(3, lengths, places, types, block, ierror)
  call MPI_Type_commit(block, ierror)
  call MPI_Bcast(MPI_BOTTOM, 1, block, 1, MPI_COMM_WORLD, ierror)
  call MPI_Type_free(block, ierror)
  if (x /= 0.5d0 .or. n /= 1 .or. name /= 'unit') wrong = wrong + 1

  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
end program fortran_types
