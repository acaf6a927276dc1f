// Each rank shows its neighbour a table, which a function fills.
//
// What is wrong: the table is a local variable of the function. When that has returned, the window is still there and its
// memory is not: the MPI_Get reads whatever the stack holds by then.
// The fix: a table that lives as long as the window.
//
// ranks: 2
// expect: rma-epoch ranks 0,1

#include <mpi.h>

__attribute__((noinline)) static void expose(int rank, MPI_Win *win)
{
    int table[64];
    for (int i = 0; i < 64; i++)
        table[i] = 100 * rank + i;
    MPI_Win_create(table, sizeof table, sizeof table[0], MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

int main(int argc, char **argv)
{
    int rank, seen = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expose(rank, &win);

    MPI_Win_fence(0, win); //~ rma-epoch
    MPI_Get(&seen, 1, MPI_INT, 1 - rank, 5, 1, MPI_INT, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
