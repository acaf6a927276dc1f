// Rank 0 reads the number of iterations and tells the others.
//
// What is wrong: the broadcast stands in the branch of rank 0. A broadcast is not a send that the others
// may pick up as they like: all ranks must call it. Rank 0 gets through, because a small message is
// buffered, and the others go on with their default.
// The fix: the broadcast comes after the branch.
//
// ranks: 4
// expect: incomplete-gop ranks 0

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
        MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD); //~ incomplete-gop
    }

    double x = 1.0;
    for (int i = 0; i < iterations; i++)
        x = 0.5 * (x + (2.0 + rank) / x);
    printf("rank %d: sqrt(%d) = %.6f after %d iterations\n", rank, 2 + rank, x, iterations);
    MPI_Finalize();
    return 0;
}
