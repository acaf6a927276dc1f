// Strips of a field lie on a line of processes and exchange their borders: a strip needs two columns of its lower neighbour,
// and one of its upper neighbour.
//
// What is wrong: the strips send one column down and two columns up, but expect two from both sides. The strips get what they
// need, and the second column of the upper border stays as it was.
// The fix: what is expected from above is the one column that is sent down.
//
// ranks: 4
// expect: neighbour-mismatch ranks 0,1,2,3

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
    const int expected[2] = {2 * CELLS, 2 * CELLS}, recv_at[2] = {0, 2 * CELLS};
    MPI_Neighbor_alltoallv(edges, sent, send_at, MPI_DOUBLE, //~ neighbour-mismatch
                           borders, expected, recv_at, MPI_DOUBLE, line);

    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
