// A function tells all processes its border, from an array of the function that has called it.
//
// What is wrong: the border has 24 numbers, and the function sends 32 of them.
// The fix: it is told how many there are.
//
// ranks: 2
// expect: buffer-too-small ranks 0

#include <mpi.h>

__attribute__((noinline)) static void tell(double *border, double *all)
{
    MPI_Gather(border, 32, MPI_DOUBLE, all, 32, MPI_DOUBLE, 0, MPI_COMM_SELF); //~ buffer-too-small
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static double all[64];
    double border[24] = {0};
    if (rank == 0)
        tell(border, all);
    MPI_Finalize();
    return 0;
}
