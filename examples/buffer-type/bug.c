// All processes get the measurements of process 0.
//
// What is wrong: the numbers are double, and the call says MPI_FLOAT. Half of them are never sent.
// The fix: it says MPI_DOUBLE.
//
// ranks: 2
// expect: buffer-type ranks 0,1

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int numbers = 100;
    double *measured = calloc(numbers, sizeof *measured);
    MPI_Bcast(measured, numbers, MPI_FLOAT, 0, MPI_COMM_WORLD); //~ buffer-type
    free(measured);
    MPI_Finalize();
    return 0;
}
