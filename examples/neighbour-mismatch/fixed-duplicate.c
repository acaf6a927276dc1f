// The twin of bug-duplicate.c: one column is expected from above each time.
//
// ranks: 4

#include <mpi.h>

enum { CELLS = 16, EXCHANGES = 3 };

static void exchange(MPI_Comm line, int from_above)
{
    static double edges[3 * CELLS], borders[4 * CELLS];
    // Each strip sends to the lower neighbour, then to the upper one.
    const int sent[2] = {1 * CELLS, 2 * CELLS}, send_at[2] = {0, CELLS};
    const int expected[2] = {2 * CELLS, from_above * CELLS}, recv_at[2] = {0, 2 * CELLS};
    MPI_Comm own;
    MPI_Comm_dup(line, &own);
    MPI_Neighbor_alltoallv(edges, sent, send_at, MPI_DOUBLE,
                           borders, expected, recv_at, MPI_DOUBLE, own);
    MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, open_end = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm line, all;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_end, 0, &line);
    // Without neighbours.
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < EXCHANGES; i++)
        exchange(line, 1);
    MPI_Comm_free(&all);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
