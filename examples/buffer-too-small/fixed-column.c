// The twin of bug-column.c: the datatype has as many rows as the matrix.
//
// ranks: 2
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
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    double received[COLUMNS];
    if (rank == 0)
        MPI_Send(&matrix[0][3], 1, column, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(received, COLUMNS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
