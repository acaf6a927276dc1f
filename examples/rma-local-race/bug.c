// Each process puts a row into the halo of the next one, and computes meanwhile.
//
// What is wrong: the program clears its whole field, with the halo, in the epoch in which the row of the other process comes.
// The fix: the halo is cleared in front of the fence that begins the epoch.
//
// ranks: 2
// options: --precise
// expect: rma-local-race ranks 0,1

#include <mpi.h>

enum { ROW = 4096, ROWS = 4 };

static void clear(double *field)
{
    for (int i = 0; i < ROW * ROWS; i += 128)
        field[i] = 0;                                                               //~ rma-local-race
}

int main(int argc, char **argv)
{
    int rank;
    double *field, row[ROW] = {1};
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(ROW * ROWS * sizeof *field, sizeof *field, MPI_INFO_NULL, MPI_COMM_WORLD, &field, &win);
    MPI_Win_fence(0, win);
    MPI_Put(row, ROW, MPI_DOUBLE, 1 - rank, ROW, ROW, MPI_DOUBLE, win);
    clear(field);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
