// Every rank puts its temperature into the table of rank 0.
//
// What is wrong: the window is used before MPI_Win_fence opens an epoch. The library refuses MPI_Put, and
// the window's error handler, which by default is MPI_ERRORS_ARE_FATAL, ends the job.
// The fix: a fence before the first put.
//
// ranks: 2
// expect: mpi-error

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    double table[16] = {0}, mine = 20.0 + rank;
    MPI_Win window;
    MPI_Win_create(table, sizeof table, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        MPI_Put(&mine, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window); //~ mpi-error
    MPI_Win_fence(0, window);
    if (rank == 0)
        printf("last: %.1f\n", table[size - 1]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
