// Rank 0 reads the number of iterations and tells the others.
//
// Fixed: the broadcast comes after the branch, and all ranks call it.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int iterations = 10;
    if (rank == 0) {
        iterations = 1000;
    }
    MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);

    double x = 1.0;
    for (int i = 0; i < iterations; i++)
        x = 0.5 * (x + (2.0 + rank) / x);
    printf("rank %d: sqrt(%d) = %.6f after %d iterations\n", rank, 2 + rank, x, iterations);
    MPI_Finalize();
    return 0;
}
