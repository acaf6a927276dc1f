// Neighbours exchange large messages that they send from a buffer of their own.
//
// Fixed: the buffer is taken back behind the receive.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 21 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, room = N * sizeof(int) + MPI_BSEND_OVERHEAD;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *mine = calloc(N, sizeof(int)), *theirs = malloc(N * sizeof(int));
    mine[0] = rank;
    MPI_Buffer_attach(malloc(room), room);
    MPI_Bsend(mine, N, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Recv(theirs, N, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    void *buffer;
    MPI_Buffer_detach(&buffer, &room);
    if (rank == 0)
        printf("from rank %d\n", theirs[0]);
    free(buffer);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
