// Rank 1 receives a value in every step with a persistent request.
//
// What is wrong: the request is started again before the receive of the last step is complete.
// The fix: wait for it first.
//
// ranks: 2
// timeout: 20
// expect: request-misuse ranks 1
// mpi: mpich (Open MPI does not notice)

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value[2] = {0, 0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Recv_init(value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); //~ request-misuse
        MPI_Start(&request);                                              //~ request-misuse
        MPI_Start(&request);                                              //~ request-misuse
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
