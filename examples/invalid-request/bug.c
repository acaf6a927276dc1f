// A receive is prepared once and started in every step, but one rank has nothing to receive.
//
// What is wrong: rank 0 starts a request that it has not made.
// The fix: it starts the request only if there is one.
//
// ranks: 2
// expect: invalid-request ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    int value = rank;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank > 0)
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (rank >= 0)
        MPI_Start(&request); //~ invalid-request
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
