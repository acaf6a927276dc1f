// The program of bug.c; rank 0 receives until it is told that there is no more.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { STEPS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        int percent = 0;
        while (percent < 100) {
            MPI_Recv(&percent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%d percent\n", percent);
        }
    } else {
        for (int step = 0; step <= STEPS; step++) {
            int percent = 100 * step / STEPS;
            MPI_Request request;
            MPI_Isend(&percent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
