// What MPI 4.0 added: large counts, persistent collective operations, partitioned communication, and
// communicators made from a session's process set.
//
// Correct: a persistent collective is started many times; the partitions become ready in any order.
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>
#include <stdio.h>

enum { PARTITIONS = 4, PER_PARTITION = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, in = -1, sum = 0, total = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    MPI_Request request;
    MPI_Irecv_c(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
    MPI_Send_c(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Request reduction;
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &reduction);
    for (int i = 0; i < 10; i++) {
        MPI_Start(&reduction);
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
        total += sum;
    }
    MPI_Request_free(&reduction);

    int out_parts[PARTITIONS][PER_PARTITION], in_parts[PARTITIONS][PER_PARTITION], last = 0;
    MPI_Request requests[2];
    MPI_Psend_init(out_parts, PARTITIONS, PER_PARTITION, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[0]);
    MPI_Precv_init(in_parts, PARTITIONS, PER_PARTITION, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[1]);
    for (int step = 0; step < 3; step++) {
        MPI_Startall(2, requests);
        for (int p = PARTITIONS - 1; p >= 0; p--) {
            for (int i = 0; i < PER_PARTITION; i++)
                out_parts[p][i] = 100 * rank + 10 * p + i + step;
            MPI_Pready(p, requests[0]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        last += in_parts[PARTITIONS - 1][PER_PARTITION - 1];
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int most;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "example", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, comm);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);

    printf("rank %d: %d %d %d %d\n", rank, in, total, last, most);
    MPI_Finalize();
    return 0;
}
