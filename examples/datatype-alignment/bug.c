// Rank 0 sends two rows of a table; rank 1 receives them into two rows of a wider one.
//
// What is wrong: the rows of the receiving datatype begin four numbers apart, but are six long, so that they overlap.
// The fix: the stride is that of the table, eight numbers.
//
// ranks: 2
// expect: datatype-alignment ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, table[2][8] = {{1, 2, 3}, {4, 5, 6}};
    MPI_Datatype rows;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Type_vector(2, 6, 8, MPI_INT, &rows);
        MPI_Type_commit(&rows);
        MPI_Send(table, 1, rows, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Type_vector(2, 6, 4, MPI_INT, &rows);
        MPI_Type_commit(&rows);
        MPI_Recv(table, 1, rows, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ datatype-alignment
    }
    MPI_Type_free(&rows);
    MPI_Finalize();
    return 0;
}
