! Makes equal calls by thousands of call paths, deep down in recursive subroutines: nearly every call comes by a stack that was
! not seen lately. Prints what the reductions have added up to, and the processor time of the calls.
module paths
   use mpi
   implicit none
   integer :: added = 0
contains
   recursive subroutine even(path, deep)
      integer, intent(in) :: path, deep
      if (deep == 0) then
         call reduce()
      else if (btest(path, deep - 1)) then
         call odd(path, deep - 1)
      else
         call even(path, deep - 1)
      end if
      added = added + 1
   end subroutine

   recursive subroutine odd(path, deep)
      integer, intent(in) :: path, deep
      if (deep == 0) then
         call reduce()
      else if (btest(path, deep - 1)) then
         call odd(path, deep - 1)
      else
         call even(path, deep - 1)
      end if
      added = added - 1
   end subroutine

   subroutine reduce()
      integer :: mine, total, ierr
      mine = 1
      call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      added = added + total
   end subroutine
end module

program call_paths
   use paths
   implicit none
   integer :: i, ierr
   real :: before, after
   call MPI_Init(ierr)
   call cpu_time(before)
   do i = 0, 59999
      call even(mod(i, 4096), 12)
   end do
   call cpu_time(after)
   call MPI_Finalize(ierr)
   print *, added
   print *, after - before
end program
