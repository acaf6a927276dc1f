// The twin of bug.c: a strip expects from above the one column that the upper neighbour sends down.
//
// ranks: 4

#include <mpi.h>

enum { CELLS = 16 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, open_end = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_end, 0, &line);

    static double edges[3 * CELLS], borders[4 * CELLS];
    // Each strip sends to the lower neighbour, then to the upper one.
    const int sent[2] = {1 * CELLS, 2 * CELLS}, send_at[2] = {0, CELLS};
    const int expected[2] = {2 * CELLS, 1 * CELLS}, recv_at[2] = {0, 2 * CELLS};
    MPI_Neighbor_alltoallv(edges, sent, send_at, MPI_DOUBLE, borders, expected, recv_at, MPI_DOUBLE, line);

    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
