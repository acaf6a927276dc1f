// Data that are moved in many ways: messages between different layouts of one type, receives larger than their message,
// persistent and polled ones, collectives with parts of all sizes, in place, and blocks of derived types. Between receives
// the buffers are overwritten, also of one that is only known to be complete.
//
// ranks: 4
// options: --checksums all

#include <mpi.h>
#include <stdlib.h>

enum { N = 64, BIG = 300000 };

static int sent[N], got[N], rank, ranks;

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        sent[i] = 1000 * rank + i;
        got[i] = -rank;
    }
}

static void messages(int next, int before)
{
    MPI_Datatype columns;
    MPI_Request requests[2];
    int flag = 0, index, n, done = 0;

    MPI_Type_vector(4, 2, 5, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    MPI_Irecv(got, N, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(sent, 2, columns, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(got, 1, columns, before, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(sent, 3, MPI_INT, next, 2, MPI_COMM_WORLD);
    while (!flag)
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    fill();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Recv_init(got, N, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(sent, 1, columns, next, 3, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, requests);
        for (done = 0; done < 2; done += n > 0 ? n : 0) {
            int indices[2];
            MPI_Testsome(2, requests, &n, indices, MPI_STATUSES_IGNORE);
        }
        fill();
        sent[0] = round;
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    for (int i = 0; i < 2; i++)
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Sendrecv(sent, 7, MPI_INT, next, 4, got, N, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(got, 7, MPI_INT, next, 5, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&columns);
}

static void large(int next, int before)
{
    double *from = malloc(BIG * sizeof(double)), *to = calloc(BIG, sizeof(double));
    MPI_Request request;

    for (int i = 0; i < BIG; i++)
        from[i] = rank + i;
    MPI_Irecv(to, BIG, MPI_DOUBLE, before, 6, MPI_COMM_WORLD, &request);
    MPI_Send(from, BIG, MPI_DOUBLE, next, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(from);
    free(to);
}

static void collectives(void)
{
    int counts[4] = {1, 0, 3, 4}, places[4] = {9, 2, 5, 0}, twos[4] = {2, 2, 2, 2}, apart[4] = {0, 3, 6, 9};
    int offsets[4] = {0, 12, 24, 36}, dims[1] = {ranks}, periods[1] = {1};
    MPI_Datatype ints[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT}, holes;
    MPI_Comm ring;
    MPI_Request request;

    MPI_Type_vector(2, 1, 2, MPI_INT, &holes);
    MPI_Type_commit(&holes);
    MPI_Ibcast(got, N, MPI_INT, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Gather(rank == 1 ? MPI_IN_PLACE : sent, 2, MPI_INT, got, 1, holes, 1, MPI_COMM_WORLD);
    MPI_Gatherv(sent, counts[rank], MPI_INT, got, counts, places, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Iscatterv(sent, counts, places, MPI_INT, got, counts[rank], MPI_INT, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Scatter(sent, 1, holes, got, 2, MPI_INT, 0, MPI_COMM_WORLD);
    fill();
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, got, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Iallgather(sent, 2, MPI_INT, got, 1, holes, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
    fill();
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, got, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, got, twos, apart, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(sent, 1, holes, got, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Ialltoallw(sent, twos, offsets, ints, got, twos, offsets, ints, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_alltoall(sent, 2, MPI_INT, got, 1, holes, ring);
    MPI_Ineighbor_allgatherv(sent, 2, MPI_INT, got, twos, apart, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    MPI_Type_free(&holes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fill();
    messages((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    large((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    collectives();
    MPI_Finalize();
    return 0;
}
