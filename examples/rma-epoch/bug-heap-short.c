// Each rank takes 400 counters from malloc, and exposes them by a window.
//
// What is wrong: they are freed before the window. The other rank may access the memory until MPI_Win_free has returned.
// The fix: MPI_Win_free before free(3).
//
// ranks: 2
// expect: rma-epoch ranks 0,1

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

    free(counters);
    MPI_Win_free(&win); //~ rma-epoch
    MPI_Finalize();
    return seen;
}
