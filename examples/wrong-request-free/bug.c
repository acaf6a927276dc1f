// Rank 1 receives steering commands with a persistent request.
//
// What is wrong: at the end the request is freed while it is active; the last command may arrive at any time after that.
// The fix: complete the last receive, then free the request.
//
// ranks: 2
// expect: wrong-request-free ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, command = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(&command, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_init(&command, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); //~ wrong-request-free
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&request);        //~ wrong-request-free
        MPI_Request_free(&request); //~ wrong-request-free
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
