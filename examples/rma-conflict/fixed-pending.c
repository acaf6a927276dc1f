// Rank 0 gets a result of rank 2 by a message, then one of rank 1 by MPI_Put, at the same place of its memory.
//
// Correct: it waits for the message before the epoch begins in which rank 1 puts. In that epoch it sends from another place, into
// which rank 1 puts in the next one.
//
// ranks: 3

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
        MPI_Irecv(&results[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
    else if (rank == 2)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Isend(&results[0], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &request);
    else if (rank == 1)
        MPI_Put(&mine, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    else
        MPI_Recv(&mine, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        printf("the last result is %d\n", results[1]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
