// A column of a matrix is sent.
//
// What is wrong: the datatype is not committed.
// The fix: MPI_Type_commit.
//
// ranks: 2
// expect: uncommitted-datatype ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    double matrix[4][4] = {{0}};
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    if (rank == 0)
        MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD); //~ uncommitted-datatype
    else
        MPI_Recv(matrix, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
