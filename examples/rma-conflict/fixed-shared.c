// Ranks 0 and 1 report their best result to rank 2: value and rank, in two cells of its memory. Then rank 1 reports once more.
//
// Correct: with exclusive locks one comes after the other; a barrier is between the first reports and the second one, which
// is made under a shared lock.
//
// ranks: 3

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *best;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *best, sizeof *best, MPI_INFO_NULL, MPI_COMM_WORLD, &best, &win);
    int result[2] = {10 * rank, rank};
    if (rank < 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
        MPI_Put(result, 2, MPI_INT, 2, 0, 2, MPI_INT, win);
        MPI_Win_unlock(2, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
        MPI_Put(result, 2, MPI_INT, 2, 0, 2, MPI_INT, win);
        MPI_Win_unlock(2, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
