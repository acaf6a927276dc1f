// Rank 0 broadcasts the parameters of the next step while the ranks finish the current one.
//
// Correct: rank 1 clears the array that they arrive in before the broadcast is started.
//
// ranks: 2
// options: --checksums all

#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, parameters[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        memset(parameters, 0, sizeof parameters);
    MPI_Ibcast(parameters, 8, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
