// The twin of bug-heap-window.c: the memory has as many bytes as the window.
//
// ranks: 2
// options: --heap

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *shared = calloc(100, sizeof *shared);
    MPI_Win win;
    MPI_Win_create(shared, 100 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(shared);
    MPI_Finalize();
    return 0;
}
