// The twin of bug-caller.c: the function is told how many numbers there are.
//
// ranks: 2

#include <mpi.h>

__attribute__((noinline)) static void tell(double *border, int numbers, double *all)
{
    MPI_Gather(border, numbers, MPI_DOUBLE, all, numbers, MPI_DOUBLE, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static double all[64];
    double border[24] = {0};
    if (rank == 0)
        tell(border, 24, all);
    MPI_Finalize();
    return 0;
}
