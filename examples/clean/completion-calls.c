// Every way to complete a set of requests: Wait, Waitany, Waitsome, Test, Testany, Testsome, Testall,
// and MPI_Request_get_status before a real completion.
//
// Correct: the arrays have holes (MPI_REQUEST_NULL), a call may complete any subset, and one handle value
// stands for several operations in turn.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

enum { MESSAGES = 24, WAYS = 8 };

static void complete(int way, int count, MPI_Request *requests)
{
    int left = count, index, flag, done, indices[MESSAGES];
    switch (way) {
    case 0:
        for (int i = count - 1; i >= 0; i--)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        return;
    case 1:
        for (; left > 0; left--)
            MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        return;
    case 2:
        for (; left > 0; left -= done)
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        return;
    case 3:
        for (int i = 0; i < count; i++)
            for (flag = 0; !flag;)
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        return;
    case 4:
        while (left > 0) {
            MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
            left -= flag && index != MPI_UNDEFINED;
        }
        return;
    case 5:
        for (; left > 0; left -= done)
            MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        return;
    case 6:
        for (flag = 0; !flag;)
            MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        return;
    default:
        for (int i = 0; i < count; i++) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int in[MESSAGES], out[MESSAGES], sum = 0, total;
    for (int way = 0; way < WAYS; way++) {
        MPI_Request requests[2 * MESSAGES];
        for (int i = 0; i < MESSAGES; i++) {
            out[i] = 100 * rank + i;
            MPI_Irecv(&in[i], 1, MPI_INT, left, i % 5, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < MESSAGES; i++)
            MPI_Isend(&out[i], 1, MPI_INT, right, i % 5, MPI_COMM_WORLD, &requests[MESSAGES + i]);
        complete(way, MESSAGES, requests);
        complete((way + 3) % WAYS, MESSAGES, requests + MESSAGES);
        for (int i = 0; i < MESSAGES; i++)
            sum += in[i] * (i + 1);
    }
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %d\n", total);
    MPI_Finalize();
    return 0;
}
