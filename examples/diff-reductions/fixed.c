// The largest residual of all ranks decides whether the iteration goes on.
//
// Fixed: all ranks ask for the maximum.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double residual = 0.25 * (1 + rank), worst = 0;
    if (rank == 0) {
        MPI_Reduce(&residual, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        printf("largest residual %.2f: %s\n", worst, worst < 1.5 ? "converged" : "go on");
    } else {
        MPI_Reduce(&residual, NULL, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
