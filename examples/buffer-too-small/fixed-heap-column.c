// The twin of bug-heap-column.c: the column ends in the last row.
//
// ranks: 2
// options: --heap

#include <mpi.h>
#include <stdlib.h>

enum { ROWS = 50, COLUMNS = 20 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double *matrix = calloc(ROWS * COLUMNS, sizeof *matrix), *column = calloc(ROWS, sizeof *column);
    MPI_Datatype type;
    MPI_Type_vector(ROWS - 1, 1, COLUMNS, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(matrix + COLUMNS + 3, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(column, ROWS - 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(matrix);
    free(column);
    MPI_Finalize();
    return 0;
}
