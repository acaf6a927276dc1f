// Rank 0 writes results in the order of the ranks; a barrier keeps the phases apart.
//
// What is wrong: rank 0 collects the result before the barrier, rank 1 sends it after the barrier. Each
// waits for the other, one in a receive and one in a collective operation.
// The fix: the result is sent before the barrier.
//
// ranks: 2
// expect: real-deadlock ranks 0,1

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
        MPI_Recv(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
        printf("rank 1: %d\n", other);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD); //~ real-deadlock
        MPI_Send(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
