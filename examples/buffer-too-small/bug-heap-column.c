// Process 0 sends a column of its matrix, from the second row on, to process 1.
//
// What is wrong: the datatype has as many rows as the matrix, so that the last element is one row behind the matrix.
// The fix: one row less.
//
// ranks: 2
// options: --heap
// expect: buffer-too-small ranks 0

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
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(matrix + COLUMNS + 3, 1, type, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    else
        MPI_Recv(column, ROWS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(matrix);
    free(column);
    MPI_Finalize();
    return 0;
}
