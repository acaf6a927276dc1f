// Every step of an iteration sums on a communicator of its own.
//
// Correct: all steps use one communicator.
//
// ranks: 2
// mpi: mpich !intel (the others have room for many more)

#include <mpi.h>

#define STEPS 1100

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double x = 1, sum;
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    for (int step = 0; step < STEPS; step++) {
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, own);
        x = sum / 2;
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
