// Each process gives a part of its memory for others to write to.
//
// What is wrong: the size of a window is in bytes, and the memory has fewer than the program says.
// The fix: the number of elements times the size of one.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    float *shared = calloc(100, sizeof *shared);
    MPI_Win win;
    MPI_Win_create(shared, 100 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win); //~ buffer-too-small
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(shared);
    MPI_Finalize();
    return 0;
}
