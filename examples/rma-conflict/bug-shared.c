// Ranks 0 and 1 report their best result to rank 2: value and rank, in two cells of its memory.
//
// What is wrong: both hold shared locks, so that value and rank may come from different ranks. The run shows nothing of it.
// The fix: exclusive locks.
//
// ranks: 3
// expect: rma-conflict ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *best;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *best, sizeof *best, MPI_INFO_NULL, MPI_COMM_WORLD, &best, &win);
    if (rank < 2) {
        int result[2] = {10 * rank, rank};
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
        MPI_Put(result, 2, MPI_INT, 2, 0, 2, MPI_INT, win); //~ rma-conflict
        MPI_Win_unlock(2, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
