// The largest residual of all ranks decides whether the iteration goes on.
//
// What is wrong: rank 0 asks for the maximum, the others for the sum. Every library combines the values
// in some way, and the result depends on who combined what.
// The fix: the same operation everywhere.
//
// ranks: 4
// expect: diff-reductions ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double residual = 0.25 * (1 + rank), worst = 0;
    if (rank == 0) {
        MPI_Reduce(&residual, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD); //~ diff-reductions
        printf("largest residual %.2f: %s\n", worst, worst < 1.5 ? "converged" : "go on");
    } else {
        MPI_Reduce(&residual, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); //~ diff-reductions
    }
    MPI_Finalize();
    return 0;
}
