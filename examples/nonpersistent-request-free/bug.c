// Rank 0 sends the state of a simulation in each step and goes on.
//
// What is wrong: the requests are freed, so that nothing tells when a state has left and its memory may be used again.
// The fix: keep the request and wait for it before the memory is used again.
//
// ranks: 2
// expect-note: nonpersistent-request-free ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    static double state[3][100];
    MPI_Request request;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 3; step++) {
        if (rank == 0) {
            MPI_Isend(state[step], 100, MPI_DOUBLE, 1, step, MPI_COMM_WORLD, &request); //~ nonpersistent-request-free
            MPI_Request_free(&request);                                                 //~ nonpersistent-request-free
        } else {
            MPI_Recv(state[step], 100, MPI_DOUBLE, 0, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
