// Four ranks in a ring pass the border of their part to the right, ten times.
//
// What is wrong: all ranks send before anybody receives, so that each waits for the receive of the next, once round the
// ring. Nothing but the buffers of the MPI library lets them go on. The ten rounds are one mistake at the same lines.
// The fix: the ranks with odd numbers receive first.
//
// ranks: 4
// expect: potential-deadlock ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 20, ROUNDS = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    double border[CELLS], from_left[CELLS];
    for (int i = 0; i < CELLS; i++)
        border[i] = rank;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Send(border, CELLS, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); //~ potential-deadlock
        MPI_Recv(from_left, CELLS, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < CELLS; i++)
            border[i] = from_left[i];
    }

    if (rank == 0)
        printf("after %d rounds: %.0f\n", ROUNDS, border[0]);
    MPI_Finalize();
    return 0;
}
