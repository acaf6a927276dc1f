// A receive for a message that may not come is cancelled in the end.
//
// Correct: a cancelled receive is completed by MPI_Wait and needs no message; a cancel that comes too late
// leaves an ordinary receive.
//
// ranks: 2
// allow: request-cancel

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, cancelled[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;

    int news = -1, done = -1, mine = rank;
    MPI_Request request;
    MPI_Status status;

    /* never sent: the cancel succeeds */
    MPI_Irecv(&news, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(&mine, 1, MPI_INT, other, 2, &done, 1, MPI_INT, other, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled[0]);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody sends before both have cancelled */

    /* sent and arrived: the cancel fails, the receive has its message */
    MPI_Irecv(&news, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&mine, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    int arrived = 0;
    while (!arrived)
        MPI_Request_get_status(request, &arrived, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled[1]);

    /* a cancelled wildcard receive, then the same receive once more and not cancelled */
    MPI_Irecv(&news, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&news, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&mine, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    printf("rank %d: cancelled %d and %d, news from %d\n", rank, cancelled[0], cancelled[1], news);
    MPI_Finalize();
    return 0;
}
