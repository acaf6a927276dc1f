// The twin of bug-heap-long.c: process 1 asks for the length first.
//
// ranks: 2
// options: --heap

#include <mpi.h>
#include <stdlib.h>

enum { ROWS = 98 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int rows[ROWS] = {0};
    if (rank == 0) {
        MPI_Send(rows, ROWS, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        int count;
        MPI_Status status;
        MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        int *table = malloc(count * sizeof *table);
        MPI_Recv(table, count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(table);
    }
    MPI_Finalize();
    return 0;
}
