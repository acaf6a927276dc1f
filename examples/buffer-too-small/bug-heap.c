// Process 0 sends its measurements, which are in memory that it has allocated, to process 1.
//
// What is wrong: there is room for 10 numbers, and 12 are sent. The last two are whatever the allocator keeps there.
// The fix: as many are sent as there are.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 0

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double *measured = calloc(10, sizeof *measured), *all = malloc(12 * sizeof *all);
    if (rank == 0)
        MPI_Send(measured, 12, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    else
        MPI_Recv(all, 12, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(measured);
    free(all);
    MPI_Finalize();
    return 0;
}
