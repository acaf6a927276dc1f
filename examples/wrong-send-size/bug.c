// Two ranks share a rod; rank 0 sends its part of the temperatures to rank 1, and gets the mean.
//
// What is wrong: rank 0 sends its cells with the two boundary cells around them, rank 1 has room for
// the cells alone. The message is longer than the receive's buffer: the library raises an error.
// The fix: send the inner cells only.
//
// ranks: 2
// expect: wrong-send-size ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 6 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double mean = 0;
    if (rank == 0) {
        double u[CELLS + 2];
        for (int i = 0; i < CELLS + 2; i++)
            u[i] = 20.0 + i;
        MPI_Send(u, CELLS + 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ wrong-send-size
    } else {
        double u[CELLS];
        MPI_Recv(u, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ wrong-send-size
        for (int i = 0; i < CELLS; i++)
            mean += u[i] / CELLS;
    }
    MPI_Bcast(&mean, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    if (rank == 0)
        printf("mean: %.1f degrees\n", mean);
    MPI_Finalize();
    return 0;
}
