// The root allocates the data and sends them to all.
//
// What is wrong: the other ranks need memory, too, in which a broadcast puts the data.
// The fix: every rank allocates.
//
// ranks: 2
// expect: null-buffer ranks 1

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // Otherwise the job may end while the root is still in MPI_Init.
    MPI_Barrier(MPI_COMM_WORLD);

    double *data = NULL;
    if (rank == 0)
        data = calloc(100, sizeof *data);
    MPI_Bcast(data, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD); //~ null-buffer
    free(data);
    MPI_Finalize();
    return 0;
}
