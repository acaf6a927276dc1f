// Rank 1 attaches a table to a window that takes memory at any time, and later another row behind it.
//
// What is wrong: the second MPI_Win_attach begins one row too early. Memory must not be attached twice.
// The fix: attach the row that is not attached yet.
//
// ranks: 2
// expect: rma-epoch ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, table[3][16] = {{0}};
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 1) {
        MPI_Win_attach(win, table, 2 * sizeof table[0]);
        MPI_Win_attach(win, table[1], sizeof table[1]); //~ rma-epoch
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
