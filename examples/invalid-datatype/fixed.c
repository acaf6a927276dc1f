// A column of a matrix is sent.
//
// Correct: sender and receiver both make the datatype.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    double matrix[4][4] = {{0}};
    MPI_Datatype column = MPI_DATATYPE_NULL;
    if (rank >= 0) {
        MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
    }
    if (rank == 0)
        MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(matrix, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (column != MPI_DATATYPE_NULL)
        MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
