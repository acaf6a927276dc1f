// Rank 1 attaches a table to a window that takes memory at any time, and later another row behind it.
//
// Correct: the parts share no byte; one is detached and attached again; the rest goes with the window.
//
// ranks: 2

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
        MPI_Win_attach(win, table[2], sizeof table[2]);
        MPI_Win_detach(win, table);
        MPI_Win_attach(win, table[1], sizeof table[1]);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
