// Each rank gets all that its neighbour has in a window of which all ranks give equally much.
//
// What is wrong: the neighbour is asked for one cell more than there is.
// The fix: ask for as many as there are.
//
// ranks: 2
// expect: rma-range ranks 0,1

#include <mpi.h>

enum { CELLS = 6 };

int main(int argc, char **argv)
{
    static int cells[2 * CELLS];
    int rank, seen[CELLS + 1];
    MPI_Win win;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Info_set(info, "same_disp_unit", "true");
    MPI_Win_create(cells, CELLS * sizeof *cells, sizeof *cells, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);

    MPI_Win_fence(0, win);
    MPI_Get(seen, CELLS + 1, MPI_INT, 1 - rank, 0, CELLS + 1, MPI_INT, win); //~ rma-range
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
