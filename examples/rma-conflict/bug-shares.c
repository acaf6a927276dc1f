// Rank 0 gathers one number of each rank, and rank 1 puts how it went in front of them.
//
// What is wrong: the share of rank 0 is at the place where rank 1 puts.
// The fix: all shares lie behind that place.
//
// ranks: 3
// expect: rma-conflict ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, table[4] = {0, 0, 0, 0}, mine, state = 1;
    int counts[3] = {1, 1, 1}, places[3] = {0, 2, 3};
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(table, sizeof table, sizeof table[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    mine = 10 + rank;
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(&state, 1, MPI_INT, 0, 0, 1, MPI_INT, win); //~ rma-conflict
    MPI_Gatherv(&mine, 1, MPI_INT, table, counts, places, MPI_INT, 0, MPI_COMM_WORLD); //~ rma-conflict
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
