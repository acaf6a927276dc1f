// The program of bug-ring.c; the ranks with odd numbers receive first.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>
#include <string.h>

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
        if (rank % 2 == 0)
            MPI_Send(border, CELLS, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
        MPI_Recv(from_left, CELLS, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank % 2 != 0)
            MPI_Send(border, CELLS, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
        memcpy(border, from_left, sizeof border);
    }

    if (rank == 0)
        printf("after %d rounds: %.0f\n", ROUNDS, border[0]);
    MPI_Finalize();
    return 0;
}
