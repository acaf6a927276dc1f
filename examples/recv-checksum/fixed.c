// Rank 0 sends new boundary values to rank 1, which goes on with the old ones while they are under way.
//
// Correct: rank 1 sets its own value when the receive is complete.
//
// ranks: 2
// options: --checksums all

#include <mpi.h>

enum { LENGTH = 16 };

int main(int argc, char **argv)
{
    double boundary[LENGTH];
    int rank;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < LENGTH; i++)
        boundary[i] = 10 * rank + i;
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(boundary, LENGTH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Irecv(boundary, LENGTH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        boundary[3] = -1;
    }
    MPI_Finalize();
    return 0;
}
