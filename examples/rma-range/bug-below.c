// Rank 1 sends its first row to rank 0, which keeps it in the row before its own ones.
//
// What is wrong: the window begins behind that row, and a displacement below zero is none.
// The fix: the window begins with that row.
//
// ranks: 2
// expect: rma-range ranks 1

#include <mpi.h>

enum { ROWS = 4, COLUMNS = 8 };

int main(int argc, char **argv)
{
    static double rows[1 + ROWS][COLUMNS];
    int rank;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(rows[1], ROWS * sizeof *rows, sizeof *rows, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);

    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(rows[1], COLUMNS, MPI_DOUBLE, 0, -1, COLUMNS, MPI_DOUBLE, win); //~ rma-range
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
