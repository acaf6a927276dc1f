// A time step that sums over the ranks, on a communicator of its own.
//
// Correct: each step frees its communicator.
//
// ranks: 3

#include <mpi.h>

static double sum(double part)
{
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    double all;
    MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, own);
    MPI_Comm_free(&own);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double x = 1;
    for (int step = 0; step < 3; step++)
        x = sum(x) / 3;
    MPI_Finalize();
    return 0;
}
