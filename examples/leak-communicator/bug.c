// A time step that sums over the ranks, on a communicator of its own.
//
// What is wrong: the communicator of each step is never freed.
// The fix: free it at the end of the step.
//
// ranks: 3
// expect: leak-communicator ranks 0,1,2

#include <mpi.h>

static double sum(double part)
{
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own); //~ leak-communicator
    double all;
    MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, own);
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
