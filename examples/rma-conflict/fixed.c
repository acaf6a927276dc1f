// Each rank writes its result into a table of rank 0, between two fences.
//
// Correct: the window counts in elements, so that each rank has an entry of its own.
//
// ranks: 3

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    double result, *table;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(size * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
    result = 1.0 / (rank + 1);

    MPI_Win_fence(0, win);
    MPI_Put(&result, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
