// Each process puts a row into the halo of the next one, and computes meanwhile.
//
// ranks: 2
// options: --precise

#include <mpi.h>

enum { ROW = 4096, ROWS = 4 };

static void clear(double *field, int from, int to)
{
    for (int i = from * ROW; i < to * ROW; i += 128)
        field[i] = 0;
}

int main(int argc, char **argv)
{
    int rank;
    double *field, row[ROW] = {1};
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(ROW * ROWS * sizeof *field, sizeof *field, MPI_INFO_NULL, MPI_COMM_WORLD, &field, &win);
    clear(field, 1, 2);
    MPI_Win_fence(0, win);
    MPI_Put(row, ROW, MPI_DOUBLE, 1 - rank, ROW, ROW, MPI_DOUBLE, win);
    // Rows that nobody puts anything into.
    clear(field, 0, 1);
    clear(field, 2, ROWS);
    MPI_Win_fence(0, win);
    clear(field, 1, 2);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
