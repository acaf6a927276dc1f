// Columns of a matrix are unpacked through a datatype for one column.
//
// What is wrong: a column begins at each integer, so that the sixth one begins in the first one's second row. No two columns
// next to each other overlap, but these two do.
// The fix: no more columns than a row has elements.
//
// ranks: 2
// expect: datatype-alignment ranks 0

#include <mpi.h>
#include <string.h>

#define ROWS 10
#define COLUMNS 5

int main(int argc, char **argv)
{
    int matrix[2 * ROWS * COLUMNS] = {0}, columns = COLUMNS + 1;
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
    if (rank == 0)
        MPI_Unpack(packed, sizeof packed, &position, matrix, columns, column, MPI_COMM_WORLD); //~ datatype-alignment
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
