// The program of bug-ready.c; the receive is posted first, and a barrier says that all are.
//
// ranks: 3

#include <mpi.h>
#include <stdlib.h>

enum { LENGTH = 200000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *mine = calloc(LENGTH, sizeof *mine), *other = calloc(LENGTH, sizeof *other);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    MPI_Request request;
    MPI_Irecv(other, LENGTH, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(mine, LENGTH, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    free(mine);
    free(other);
    MPI_Finalize();
    return 0;
}
