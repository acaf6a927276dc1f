// MPI_Request_get_status is asked, several times, before the request is completed.
//
// Correct: it leaves the request as it is; when its flag is true the operation is complete, the received data are
// there, and the buffer may be used again, though the request still has to be completed (MPI 4.1, 3.7.6 and 2.4.2).
// For the null request and an inactive one the flag is true.
//
// ranks: 2

#include <mpi.h>

enum { N = 5000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, flag = 0, count;
    static int out[N], in[N];
    MPI_Status status;
    MPI_Request send, receive, null = MPI_REQUEST_NULL, persistent;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Request_get_status(null, &flag, &status);
    wrong += !flag || status.MPI_SOURCE != MPI_ANY_SOURCE || status.MPI_TAG != MPI_ANY_TAG;
    MPI_Recv_init(in, N, MPI_INT, other, 0, MPI_COMM_WORLD, &persistent);
    MPI_Request_get_status(persistent, &flag, MPI_STATUS_IGNORE);
    wrong += !flag;

    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < N; i++)
            out[i] = i + rank + round;
        if (round < 2)
            MPI_Irecv(in, N, MPI_INT, other, 0, MPI_COMM_WORLD, &receive);
        else
            MPI_Start(&persistent);
        MPI_Request *pending = round < 2 ? &receive : &persistent;
        MPI_Isend(out, N, MPI_INT, other, 0, MPI_COMM_WORLD, &send);
        do
            MPI_Request_get_status(*pending, &flag, &status);
        while (!flag);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != N || status.MPI_SOURCE != other;
        for (int i = 0; i < N; i++) {
            wrong += in[i] != i + other + round;
            in[i] = -1;
        }
        do
            MPI_Request_get_status(send, &flag, MPI_STATUS_IGNORE);
        while (!flag);
        if (round % 2 == 0)
            out[0] = out[N - 1] = -1;
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        out[1] = -1;
        MPI_Wait(pending, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&persistent);
    MPI_Finalize();
    return wrong != 0;
}
