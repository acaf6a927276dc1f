// Persistent and matched-by-nothing receives are cancelled; a persistent one is started again afterwards.
//
// Correct: a cancelled receive is completed like any other, and MPI_Test_cancelled tells its end; a cancelled
// persistent request becomes inactive and may be started anew (MPI 4.1, 3.8.4). A complete catalogue warns of
// request-cancel.
//
// ranks: 2
// allow: request-cancel

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, cancelled, flag, in = -1, never = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Status status, statuses[2];
    MPI_Request receive, requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &receive);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&receive); /* no message of this tag is on its way */
        MPI_Cancel(&receive);
        MPI_Wait(&receive, &status);
        MPI_Test_cancelled(&status, &cancelled);
        wrong += !cancelled || receive == MPI_REQUEST_NULL;
        in = round; /* the buffer is the program's own again */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&receive);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&receive, &status);
        MPI_Test_cancelled(&status, &cancelled);
        wrong += cancelled || in != 1 - rank;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request_free(&receive);

    MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Cancel(&requests[0]);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    do
        MPI_Testall(2, requests, &flag, statuses);
    while (!flag);
    MPI_Test_cancelled(&statuses[0], &cancelled);
    wrong += !cancelled || never != -1;
    MPI_Test_cancelled(&statuses[1], &cancelled);
    wrong += cancelled || in != 1 - rank;
    MPI_Finalize();
    return wrong != 0;
}
