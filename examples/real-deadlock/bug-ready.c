// Each rank gives its block to the next one and takes that of the one before.
//
// What is wrong: the block goes out by MPI_Rsend before anybody has posted the receive for it. That is an error in itself
// (MPI 4.1 section 3.4); libraries treat such a send like a standard one, and the blocks are too long to be buffered.
// The fix: the receive is posted first, and a barrier says that all are.
//
// ranks: 3
// expect: real-deadlock ranks 0,1,2

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

    MPI_Rsend(mine, LENGTH, MPI_DOUBLE, next, 0, MPI_COMM_WORLD); //~ real-deadlock
    MPI_Recv(other, LENGTH, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    free(mine);
    free(other);
    MPI_Finalize();
    return 0;
}
