// The twin of bug.c: the call says the type of the numbers.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int numbers = 100;
    double *measured = calloc(numbers, sizeof *measured);
    MPI_Bcast(measured, numbers, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(measured);
    MPI_Finalize();
    return 0;
}
