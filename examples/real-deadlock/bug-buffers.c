// Two ranks exchange parts of their field with buffered sends on two communicators, each of which has a buffer of its own.
//
// What is wrong: rank 0 waits until the buffer of `left` is empty, and rank 1 waits for a flush of that of `right`; each
// would receive the message of the other only afterwards.
// The fix: both receive first.
//
// ranks: 2
// mpi: mpich-4.3 mpich-5.0 mpich-5.0-abi (buffers of communicators are of MPI 4.1)
// expect: real-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 20 }; /* more than the library itself takes */

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm left, right;
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    MPI_Comm_dup(MPI_COMM_WORLD, &right);
    const MPI_Comm mine = rank == 0 ? left : right, theirs = rank == 0 ? right : left;
    double *field = calloc(COUNT, sizeof *field), *other = calloc(COUNT, sizeof *other);
    const int room = COUNT * sizeof *field + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    MPI_Comm_attach_buffer(mine, buffer, room);
    MPI_Bsend(field, COUNT, MPI_DOUBLE, 1 - rank, 3, mine);
    if (rank == 0) {
        MPI_Comm_flush_buffer(mine); //~ real-deadlock
    } else {
        MPI_Request flush;
        MPI_Comm_iflush_buffer(mine, &flush);
        MPI_Wait(&flush, MPI_STATUS_IGNORE); //~ real-deadlock
    }
    MPI_Recv(other, COUNT, MPI_DOUBLE, 1 - rank, 3, theirs, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(mine, &buffer, &size);
    printf("rank %d is done\n", rank);
    free(buffer);
    free(field);
    free(other);
    MPI_Comm_free(&left);
    MPI_Comm_free(&right);
    MPI_Finalize();
    return 0;
}
