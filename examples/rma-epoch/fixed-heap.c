// Each rank takes a table of 64 KiB from malloc, and exposes it by a window.
//
// Correct: it is freed when the window is gone.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 16384 };

int main(int argc, char **argv)
{
    int rank, seen = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *table = calloc(CELLS, sizeof *table);
    MPI_Win_create(table, CELLS * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    MPI_Win_fence(0, win);
    MPI_Get(&seen, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    free(table);
    MPI_Finalize();
    return seen;
}
