// Request handles wander: copied into structures, sorted, started in another order than created, completed through
// copies.
//
// Correct: a request is an object, and its handle a value that may be copied like any other (MPI 4.1, 2.5.1); a copy
// that is left behind by a completion is not used again.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12 };

typedef struct {
    int key, value;
    MPI_Request request;
} Task;

static int by_key(const void *a, const void *b)
{
    return ((const Task *)a)->key - ((const Task *)b)->key;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, in[N];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    Task *tasks = malloc(N * sizeof *tasks), *larger;
    MPI_Request receives[N], started[N], copies[N], nobody;
    int out[N];
    for (int i = 0; i < N; i++) {
        out[i] = 10 * i + rank;
        tasks[i] = (Task){i * 5 % N, i, MPI_REQUEST_NULL};
        MPI_Send_init(&out[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &tasks[i].request);
        MPI_Recv_init(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &receives[i]);
    }
    larger = malloc(2 * N * sizeof *larger); /* the structures move with the handles in them */
    memcpy(larger, tasks, N * sizeof *tasks);
    memset(tasks, 0, N * sizeof *tasks);
    free(tasks);
    qsort(larger, N, sizeof *larger, by_key);

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++)
            started[i] = receives[(i * 7 + round) % N], in[i] = -1;
        MPI_Startall(N, started);
        for (int i = 0; i < N; i++)
            MPI_Start(&larger[i].request);
        for (int i = 0; i < N; i++)
            copies[i] = larger[N - 1 - i].request;
        MPI_Waitall(N, copies, MPI_STATUSES_IGNORE);
        MPI_Waitall(N, receives, MPI_STATUSES_IGNORE); /* started through other copies */
        for (int i = 0; i < N; i++)
            wrong += in[i] != 10 * i + other;
    }
    for (int i = 0; i < N; i++) {
        MPI_Request one = larger[i].request;
        MPI_Request_free(&one);
        MPI_Request_free(&started[i]);
    }
    free(larger);

    MPI_Irecv(in, 1, MPI_INT, other, N, MPI_COMM_WORLD, &receives[0]);
    memcpy(&nobody, &receives[0], sizeof nobody);
    memset(&receives[0], 0xff, sizeof receives[0]); /* only the copy counts */
    MPI_Send(&out[1], 1, MPI_INT, other, N, MPI_COMM_WORLD);
    MPI_Wait(&nobody, MPI_STATUS_IGNORE);
    wrong += in[0] != 10 + other;
    MPI_Finalize();
    return wrong != 0;
}
