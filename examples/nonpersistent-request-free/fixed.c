// Rank 0 sends the state of a simulation in each step and goes on.
//
// Correct: all sends are completed in the end. The persistent request is freed when it is inactive.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    static double state[3][100], sum;
    MPI_Request requests[3], report;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send_init(&sum, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &report);
        for (int step = 0; step < 3; step++)
            MPI_Isend(state[step], 100, MPI_DOUBLE, 1, step, MPI_COMM_WORLD, &requests[step]);
        MPI_Start(&report);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&report, MPI_STATUS_IGNORE);
        MPI_Request_free(&report);
    } else {
        for (int step = 0; step < 3; step++)
            MPI_Recv(state[step], 100, MPI_DOUBLE, 0, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&sum, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
