// The same addresses are allocated, used and freed again and again, each time for something else.
//
// Correct: an operation has done with its buffer when it is complete; what lives there later, a receive's buffer or
// a request, has nothing to do with it (MPI 4.1, 3.7.3).
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

enum { N = 600, ROUNDS = 50 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request *requests = malloc(2 * sizeof *requests);
        int *out = malloc(N * sizeof *out), *in = malloc(N * sizeof *in);
        for (int i = 0; i < N; i++)
            out[i] = i + round + 7 * rank;
        MPI_Irecv(in, N, MPI_INT, other, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, N, MPI_INT, other, round, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        free(out);
        /* the memory of the completed send becomes a buffer to receive into, while the first receive may be pending */
        double *more = malloc(N * sizeof(int)), value = round + 0.5 * rank;
        MPI_Irecv(more, 1, MPI_DOUBLE, other, ROUNDS + round, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(&value, 1, MPI_DOUBLE, other, ROUNDS + round, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < N; i++)
            wrong += in[i] != i + round + 7 * other;
        wrong += *more != round + 0.5 * other;
        free(in);
        free(more);
        free(requests);
    }
    MPI_Finalize();
    return wrong != 0;
}
