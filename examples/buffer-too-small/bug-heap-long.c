// Process 1 receives a table from process 0, which has grown.
//
// What is wrong: process 1 has room for 97 rows, and 98 come. What is behind the block is overwritten.
// The fix: process 1 asks for the length first (MPI_Probe), and allocates as much.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 1

#include <mpi.h>
#include <stdlib.h>

enum { ROWS = 98 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int rows[ROWS] = {0};
    // The allocator of the GNU C library has 4 bytes to spare here, so that this program ends all the same.
    int *table = malloc(97 * sizeof *table);
    if (rank == 0)
        MPI_Send(rows, ROWS, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(table, ROWS, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ buffer-too-small
    free(table);
    MPI_Finalize();
    return 0;
}
