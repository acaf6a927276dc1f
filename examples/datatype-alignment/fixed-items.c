// Columns of a matrix are unpacked, and received, through a datatype for one column.
//
// Correct: as many columns as a row has elements do not overlap. More of them may be sent: nothing is written then.
//
// ranks: 2

#include <mpi.h>
#include <string.h>

#define ROWS 10
#define COLUMNS 5

int main(int argc, char **argv)
{
    int matrix[2 * ROWS * COLUMNS] = {0}, columns = COLUMNS;
    char packed[ROWS * (COLUMNS + 1) * sizeof(int)];
    memset(packed, 0, sizeof packed);
    MPI_Init(&argc, &argv);
    int rank, position = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Datatype strided, column;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &strided);
    MPI_Type_create_resized(strided, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&strided);
    if (rank == 0) {
        MPI_Unpack(packed, sizeof packed, &position, matrix, columns, column, MPI_COMM_WORLD);
        MPI_Send(packed, ROWS * columns, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(matrix, columns + 1, column, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(matrix, columns, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
