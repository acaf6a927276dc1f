// Each rank shows its neighbour a table, which a function fills.
//
// Correct: the table is a variable of main(), which lives as long as the window.
//
// ranks: 2

#include <mpi.h>

__attribute__((noinline)) static void expose(int rank, int table[64], MPI_Win *win)
{
    for (int i = 0; i < 64; i++)
        table[i] = 100 * rank + i;
    MPI_Win_create(table, 64 * sizeof table[0], sizeof table[0], MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

int main(int argc, char **argv)
{
    int rank, seen = 0, table[64];
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expose(rank, table, &win);

    MPI_Win_fence(0, win);
    MPI_Get(&seen, 1, MPI_INT, 1 - rank, 5, 1, MPI_INT, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return seen != 100 * (1 - rank) + 5;
}
