// The ranks look for the greatest flag, as a bit mask in a double.
//
// What is wrong: MPI_BOR is defined for integers and bytes, not for floating-point numbers.
// The fix: the flags are integers.
//
// ranks: 2
// expect: invalid-op

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    long long mine = 1, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_BOR, MPI_COMM_WORLD); //~ invalid-op
    MPI_Finalize();
    return 0;
}
