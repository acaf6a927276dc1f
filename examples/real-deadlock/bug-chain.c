// Ten ranks in a ring: each exchanges a message with the next rank and one with the rank before it, with another function
// each: every call of point-to-point communication that waits.
//
// What is wrong: all begin with the message that they want from the next rank, or that it must receive.
// The fix: rank 9 begins with the rank before it.
//
// ranks: 10
// expect: real-deadlock ranks 0,1,2,3,4,5,6,7,8,9

#include <mpi.h>

enum { RANKS = 10, TAG = 4 };

static MPI_Comm world = MPI_COMM_WORLD;
static int one = 1, two[2];

/* What rank `kind` does with its next rank. */
static void wait_for(int kind, int next)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Message message;
    int index, count, indices[2];
    switch (kind) {
    case 0:
        MPI_Ssend(&one, 1, MPI_INT, next, TAG, world); //~ real-deadlock
        break;
    case 1:
        MPI_Sendrecv(&one, 1, MPI_INT, MPI_PROC_NULL, TAG, two, 1, MPI_INT, next, TAG, world, MPI_STATUS_IGNORE); //~ real-deadlock
        break;
    case 2:
        MPI_Sendrecv_replace(two, 1, MPI_INT, next, TAG, next, TAG, world, MPI_STATUS_IGNORE); //~ real-deadlock
        break;
    case 3:
        MPI_Probe(next, TAG, world, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Recv(two, 1, MPI_INT, next, TAG, world, MPI_STATUS_IGNORE);
        break;
    case 4:
        MPI_Mprobe(next, MPI_ANY_TAG, world, &message, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Mrecv(two, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        break;
    case 5:
        MPI_Issend(&one, 1, MPI_INT, next, TAG, world, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE); //~ real-deadlock
        break;
    case 6:
        /* one of the two is there at once */
        MPI_Irecv(&two[0], 1, MPI_INT, next, TAG, world, &requests[0]);
        MPI_Irecv(&two[1], 1, MPI_INT, MPI_PROC_NULL, TAG, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); //~ real-deadlock
        break;
    case 7:
        MPI_Recv_init(&two[0], 1, MPI_INT, next, TAG, world, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE); //~ real-deadlock
        MPI_Request_free(&requests[0]);
        break;
    case 8:
        MPI_Irecv(&two[0], 1, MPI_INT, next, TAG, world, &requests[0]);
        MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE); //~ real-deadlock
        break;
    default:
        MPI_Recv(two, 1, MPI_INT, next, MPI_ANY_TAG, world, MPI_STATUS_IGNORE); //~ real-deadlock
    }
}

/* What rank `kind` waits for. */
static void help(int kind)
{
    if (kind == 0 || kind == 5)
        MPI_Recv(two, 1, MPI_INT, kind, TAG, world, MPI_STATUS_IGNORE);
    else
        MPI_Send(&one, 1, MPI_INT, kind, TAG, world);
    if (kind == 2)
        MPI_Recv(two, 1, MPI_INT, kind, TAG, world, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(world, &rank);
    const int next = (rank + 1) % RANKS, before = (rank + RANKS - 1) % RANKS;
    wait_for(rank, next);
    help(before);
    MPI_Finalize();
    return 0;
}
