// Two ranks share memory, of which rank 1 has more. It marks the last cell of rank 0.
//
// What is wrong: the cell is counted by its own memory. With one piece behind the other, it marks a cell of its own.
// The fix: count by the size that MPI_Win_shared_query has told.
//
// ranks: 2
// expect: rma-range ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, unit, *mine, *theirs;
    MPI_Aint bytes;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int cells = 4 + 4 * rank;
    MPI_Win_allocate_shared(cells * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_shared_query(win, 1 - rank, &bytes, &unit, &theirs);

    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(&rank, 1, MPI_INT, 0, cells - 1, 1, MPI_INT, win); //~ rma-range
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
