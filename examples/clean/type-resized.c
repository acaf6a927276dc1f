// Types whose bounds were moved: extents smaller than the data, larger, negative, and a negative lower bound.
//
// Correct: the extent says only where the next item begins; items of a receive may interleave as long as no place is
// written twice (MPI 4.1, 5.1.7 and 5.1.11).
//
// ranks: 2

#include <mpi.h>

enum { ROWS = 4, COLUMNS = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, matrix[ROWS][COLUMNS], flat[ROWS * COLUMNS];
    const MPI_Aint size = sizeof(int);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype strided, column, last_first, spaced, shifted;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &strided);
    MPI_Type_create_resized(strided, 0, size, &column);       /* the next column is one element further */
    MPI_Type_create_resized(strided, 0, -size, &last_first);  /* or one element back */
    MPI_Type_create_resized(MPI_INT, 0, 2 * size, &spaced);
    MPI_Type_create_resized(MPI_INT, -3 * size, 4 * size, &shifted);
    MPI_Datatype types[] = {column, last_first, spaced, shifted};
    for (int t = 0; t < 4; t++)
        MPI_Type_commit(&types[t]);

    for (int i = 0; i < ROWS * COLUMNS; i++) {
        flat[i] = rank == 0 ? i : -1;
        matrix[i / COLUMNS][i % COLUMNS] = -1;
    }
    if (rank == 0) {
        for (int t = 0; t < 4; t++)
            MPI_Send(flat, t < 2 ? ROWS * COLUMNS : 5, MPI_INT, 1, t, MPI_COMM_WORLD);
    } else {
        MPI_Recv(matrix, COLUMNS, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int c = 0; c < COLUMNS; c++)
            for (int r = 0; r < ROWS; r++)
                wrong += matrix[r][c] != c * ROWS + r;
        MPI_Recv(&matrix[0][COLUMNS - 1], COLUMNS, last_first, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int c = 0; c < COLUMNS; c++)
            for (int r = 0; r < ROWS; r++)
                wrong += matrix[r][COLUMNS - 1 - c] != c * ROWS + r;
        MPI_Recv(flat, 5, spaced, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(flat + 1, 5, shifted, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 5; i++)
            wrong += flat[4 * i + 1] != i || (i % 2 == 0 && flat[2 * i] != i);
    }
    for (int t = 0; t < 4; t++)
        MPI_Type_free(&types[t]);
    MPI_Type_free(&strided);
    MPI_Finalize();
    return wrong != 0;
}
