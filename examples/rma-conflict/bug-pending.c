// Rank 0 gets a result of rank 2 by a message, then one of rank 1 by MPI_Put, at the same place of its memory.
//
// What is wrong: it waits for the message only behind the epoch in which rank 1 puts, so that the message may overwrite that result.
// The fix: it waits before that epoch begins.
//
// ranks: 3
// expect: rma-conflict ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, results[2] = {0, 0}, mine;
    MPI_Win win;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(results, sizeof results, sizeof results[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    mine = 10 + rank;
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Irecv(&results[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request); //~ rma-conflict
    else if (rank == 2)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(&mine, 1, MPI_INT, 0, 1, 1, MPI_INT, win); //~ rma-conflict
    MPI_Win_fence(0, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("the last result is %d\n", results[1]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
