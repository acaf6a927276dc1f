// Rank 0 sends three blocks of results, each while it works on the next.
//
// Correct: the blocks go through two buffers in turn, and each is filled when the send from it is complete.
//
// ranks: 2

#include <mpi.h>

enum { BLOCKS = 3, LENGTH = 1000 };

int main(int argc, char **argv)
{
    static double block[2][LENGTH];
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int b = 0; b < BLOCKS; b++) {
        double *mine = block[b % 2];
        if (rank == 0) {
            MPI_Wait(&request[b % 2], MPI_STATUS_IGNORE);
            for (int i = 10; i < 20; i++)
                mine[i] = b + i;
            MPI_Isend(mine, LENGTH, MPI_DOUBLE, 1, b, MPI_COMM_WORLD, &request[b % 2]);
        } else {
            MPI_Recv(mine, LENGTH, MPI_DOUBLE, 0, b, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
