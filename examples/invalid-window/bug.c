// A table is made remotely accessible only if it is large.
//
// What is wrong: rank 0 calls the fence without the window, for MPI_WIN_NULL.
// The fix: the fence depends on the same condition.
//
// ranks: 2
// expect: invalid-window ranks 0

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int entries = 100, threshold = 1000;
    double *table = calloc(entries, sizeof *table);
    MPI_Win window = MPI_WIN_NULL;
    if (entries > threshold)
        MPI_Win_create(table, entries * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        MPI_Win_fence(0, window); //~ invalid-window
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    MPI_Barrier(MPI_COMM_WORLD);
    free(table);
    MPI_Finalize();
    return 0;
}
