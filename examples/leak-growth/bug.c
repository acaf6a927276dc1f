// Every step of an iteration sums on a communicator of its own.
//
// What is wrong: the communicators are never freed; MPICH has none left after 2046 steps.
// The fix: make the communicator once, before the loop.
//
// ranks: 2
// mpi: mpich !intel (the others have room for many more)
// expect: leak-growth ranks 0,1

#include <mpi.h>

#define STEPS 1100

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double x = 1, sum;
    MPI_Comm own;
    for (int step = 0; step < STEPS; step++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own); //~ leak-growth
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, own);
        x = sum / 2;
    }
    MPI_Finalize();
    return 0;
}
