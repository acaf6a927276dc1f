// A rank talks to itself.
//
// Correct: the send to oneself is nonblocking, buffered or part of a sendrecv; collective operations on
// MPI_COMM_SELF complete at once.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in[4] = {0}, out = 3, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Request requests[2];
    MPI_Isend(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv(&in[0], 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Irecv(&in[1], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF); /* the receive is posted */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    char space[MPI_BSEND_OVERHEAD + 100];
    void *buffer = space;
    int bytes = sizeof space;
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in[2], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &bytes);

    MPI_Ibarrier(MPI_COMM_SELF, &requests[0]);
    MPI_Ibarrier(MPI_COMM_SELF, &requests[1]); /* both requests may have the same value */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&out, &in[3], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Bcast(&out, 1, MPI_INT, 0, MPI_COMM_SELF);
    for (int i = 0; i < 4; i++)
        sum += in[i];
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
