// The twin of bug-heap.c: there is room for as many as are sent.
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

    double *measured = calloc(12, sizeof *measured), *all = malloc(12 * sizeof *all);
    if (rank == 0)
        MPI_Send(measured, 12, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(all, 12, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(measured);
    free(all);
    MPI_Finalize();
    return 0;
}
