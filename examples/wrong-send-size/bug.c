// Two ranks share a rod; rank 0 sends its part of the temperatures to rank 1 for printing.
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

    if (rank == 0) {
        double u[CELLS + 2];
        for (int i = 0; i < CELLS + 2; i++)
            u[i] = 20.0 + i;
        MPI_Send(u, CELLS + 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ wrong-send-size
    } else {
        double u[CELLS];
        MPI_Recv(u, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ wrong-send-size
        printf("from %.1f to %.1f degrees\n", u[0], u[CELLS - 1]);
    }
    MPI_Finalize();
    return 0;
}
