// A sum ends in the array that holds the parts.
//
// Correct: MPI_IN_PLACE says so.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    double parts[10] = {0};
    MPI_Allreduce(MPI_IN_PLACE, parts, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
