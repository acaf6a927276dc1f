// Rank 1 adds what it has counted to the counter of rank 0, and reads the sum.
//
// Correct: the sum is read under the lock as well, when a flush has completed the addition.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 3, sum = 0, *counter;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);

    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Accumulate(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(0, win);
        MPI_Get(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
