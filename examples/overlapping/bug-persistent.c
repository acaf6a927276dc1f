// A halo is exchanged with persistent requests.
//
// What is wrong: both requests use the first element.
// The fix: the receive has memory of its own.
//
// ranks: 2
// expect: overlapping ranks 0,1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, row[4] = {1, 2, 3, 4};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request requests[2];
    MPI_Send_init(&row[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&row[0], 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++)
        MPI_Start(&requests[i]); //~ overlapping
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return 0;
}
