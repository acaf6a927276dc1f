// Requests that are freed while their operations are active.
//
// Correct, if unusual: MPI_Request_free lets an active send run to its end, and the answer of the
// receiver proves that it did, before the buffer is used again or MPI is finalized.
//
// ranks: 2
// allow: nonpersistent-request-free

#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 10, N = 5000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    static int data[N];
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            MPI_Request request;
            for (int i = 0; i < N; i++)
                data[i] = i + round;
            MPI_Isend(data, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
            MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
            sum += data[N - 1];
        }
    }
    if (rank == 1)
        printf("sum %ld\n", sum);
    MPI_Finalize();
    return 0;
}
