// Two ranks share a rod; rank 0 sends its part of the temperatures to rank 1, and gets the mean.
//
// Fixed: the inner cells are sent, without the boundary cells around them.
//
// ranks: 2

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
        MPI_Send(u + 1, CELLS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
        double u[CELLS];
        MPI_Recv(u, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < CELLS; i++)
            mean += u[i] / CELLS;
    }
    MPI_Bcast(&mean, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    if (rank == 0)
        printf("mean: %.1f degrees\n", mean);
    MPI_Finalize();
    return 0;
}
