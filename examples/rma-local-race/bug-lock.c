// Rank 1 keeps a table, which rank 0 changes under a lock.
//
// What is wrong: rank 1 changes its own table without a lock, as if it were alone.
// The fix: it locks its own rank, too.
//
// ranks: 2
// options: --precise
// expect: rma-local-race ranks 0,1

#include <mpi.h>

enum { LENGTH = 2048 };

int main(int argc, char **argv)
{
    int rank, value = 5, *table;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(LENGTH * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
    table[17] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 17, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    } else {
        table[17] = 6;                                                              //~ rma-local-race
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
