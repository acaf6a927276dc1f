// Buffered, synchronous and ready sends, blocking and nonblocking.
//
// Correct: a ready send starts only after the receive is known to be posted; buffered sends have their
// buffer, and two ranks that both send buffered first do not deadlock.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;

    int packed;
    MPI_Pack_size(N, MPI_INT, MPI_COMM_WORLD, &packed);
    int space = 2 * (packed + MPI_BSEND_OVERHEAD);
    void *buffer = malloc(space);
    int *out = malloc(N * sizeof *out), *in = malloc(N * sizeof *in);
    long sum = 0;
    for (int i = 0; i < N; i++)
        out[i] = i + rank;

    MPI_Request requests[2];
    MPI_Buffer_attach(buffer, space);
    MPI_Bsend(out, N, MPI_INT, other, 0, MPI_COMM_WORLD); /* both first send, and do not wait */
    MPI_Ibsend(out, N, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv(in, N, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += in[N - 1];
    MPI_Recv(in, N, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += in[N - 1];
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &space);

    if (rank == 0) {
        MPI_Ssend(out, N, MPI_INT, other, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, N, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Irecv(in, N, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, N, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += in[N - 1];

    MPI_Irecv(in, N, MPI_INT, other, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD); /* now both receives are posted */
    MPI_Rsend(out, N, MPI_INT, other, 4, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    sum += in[N - 1];

    MPI_Irecv(in, N, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(out, N, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += in[N - 1];

    printf("rank %d: sum %ld\n", rank, sum);
    free(buffer);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
