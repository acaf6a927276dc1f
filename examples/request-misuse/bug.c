// Rank 0 sends a message and lets two parts of the program, each with the request, wait for it.
//
// What is wrong: the second part has a copy of the handle. The request is over when the first has completed it.
// The fix: both parts use the one variable, which is MPI_REQUEST_NULL then.
//
// ranks: 2
// expect: request-misuse ranks 0
// mpi: mpich openmpi !mpich-5.0-abi !intel-abi !openmpi-5.0 (what the library does with a stale handle is undefined)

#include <mpi.h>

int main(int argc, char **argv)
{
    static double field[100000];
    int rank;
    MPI_Request request, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(field, 100000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); //~ request-misuse
        copy = request;
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ request-misuse
        MPI_Request_free(&copy);               //~ request-misuse
    } else {
        MPI_Recv(field, 100000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
