// Rank 0 writes results in the order of the ranks; a barrier keeps the phases apart.
//
// Fixed: rank 1 sends its result before the barrier.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int result = 7 * (rank + 1);
    if (rank == 0) {
        int other;
        printf("rank 0: %d\n", result);
        MPI_Recv(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank 1: %d\n", other);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Send(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
