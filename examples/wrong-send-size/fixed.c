// Two ranks share a rod; rank 0 sends its part of the temperatures to rank 1 for printing.
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

    if (rank == 0) {
        double u[CELLS + 2];
        for (int i = 0; i < CELLS + 2; i++)
            u[i] = 20.0 + i;
        MPI_Send(u + 1, CELLS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
        double u[CELLS];
        MPI_Recv(u, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("from %.1f to %.1f degrees\n", u[0], u[CELLS - 1]);
    }
    MPI_Finalize();
    return 0;
}
