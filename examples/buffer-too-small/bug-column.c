// Process 0 sends a column of its matrix, by a datatype for columns.
//
// What is wrong: the datatype is made for as many rows as the matrix has columns, which are more. Its last elements lie
// behind the matrix.
// The fix: it is made for as many rows as there are.
//
// ranks: 2
// expect: buffer-too-small ranks 0

#include <mpi.h>

#define ROWS 6
#define COLUMNS 8

static double matrix[ROWS][COLUMNS];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Datatype column;
    MPI_Type_vector(COLUMNS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    double received[COLUMNS];
    if (rank == 0)
        MPI_Send(&matrix[0][3], 1, column, 1, 0, MPI_COMM_WORLD); //~ buffer-too-small
    else
        MPI_Recv(received, COLUMNS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
