// Each rank takes 400 counters from malloc, and exposes them by a window.
//
// Correct: they are freed when the window is gone.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 400 };

int main(int argc, char **argv)
{
    int rank, seen = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *counters = calloc(CELLS, sizeof *counters);
    MPI_Win_create(counters, CELLS * sizeof *counters, sizeof *counters, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    MPI_Win_fence(0, win);
    MPI_Get(&seen, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    free(counters);
    MPI_Finalize();
    return seen;
}
