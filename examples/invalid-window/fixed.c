// A table is made remotely accessible only if it is large.
//
// Correct: without a window there are no fences.
//
// ranks: 2

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
    if (window != MPI_WIN_NULL)
        MPI_Win_fence(0, window);
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    MPI_Barrier(MPI_COMM_WORLD);
    free(table);
    MPI_Finalize();
    return 0;
}
