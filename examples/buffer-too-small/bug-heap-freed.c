// Process 0 sends a block that it no longer needs.
//
// What is wrong: it frees the block first, and then sends what is there.
// The fix: the block is freed when it has been sent.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 0

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int *block = calloc(200, sizeof *block), received[100];
    // Pointers into the middle are as good as others.
    int *volatile half = block + 100;
    free(block);
    if (rank == 0)
        MPI_Send(half, 100, MPI_INT, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    else
        MPI_Recv(received, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
