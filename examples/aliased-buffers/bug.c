// A sum is to end in the array that holds the parts.
//
// What is wrong: the array is given twice.
// The fix: MPI_IN_PLACE.
//
// ranks: 2
// expect: aliased-buffers

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    double parts[10] = {0};
    MPI_Allreduce(parts, parts, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); //~ aliased-buffers
    MPI_Finalize();
    return 0;
}
