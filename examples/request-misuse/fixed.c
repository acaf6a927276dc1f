// Rank 0 sends a message and lets two parts of the program wait for it.
//
// Correct: both have the address of one variable, and waiting for MPI_REQUEST_NULL or for an inactive request is allowed.
//
// ranks: 2

#include <mpi.h>

static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static double field[100000];
    int rank;
    MPI_Request request, again;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(field, 100000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        finish(&request);
        finish(&request);
        MPI_Send_init(field, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &again);
        finish(&again);
        MPI_Start(&again);
        finish(&again);
        finish(&again);
        MPI_Request_free(&again);
    } else {
        MPI_Recv(field, 100000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(field, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
