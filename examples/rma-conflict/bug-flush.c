// Rank 0 writes its part of a table of rank 2, and rank 1 reads it after a barrier. All hold locks all the time.
//
// What is wrong: MPI_Win_flush_local says only that rank 0 may use its buffer again: the data may arrive after the barrier.
// The fix: MPI_Win_flush.
//
// ranks: 3
// expect: rma-conflict ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine, *table;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
    mine = 10 * rank;
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Put(&mine, 1, MPI_INT, 2, 0, 1, MPI_INT, win); //~ rma-conflict
        MPI_Win_flush_local(2, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Get(&mine, 1, MPI_INT, 2, 0, 1, MPI_INT, win); //~ rma-conflict
        MPI_Win_flush(2, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
