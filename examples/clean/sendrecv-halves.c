// MPI_Sendrecv whose two buffers lie in one array: halves, interleaved elements, rows and columns of one matrix.
//
// Correct: the buffers must be disjoint, by what the types name (MPI 4.1, 3.10); MPI_Sendrecv_replace has but one.
//
// ranks: 2

#include <mpi.h>

enum { N = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, data[2 * N], square[N][N];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < 2 * N; i++)
        data[i] = i + 100 * rank;
    MPI_Sendrecv(data, N, MPI_INT, rank, 0, data + N, N, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        wrong += data[N + i] != i + 100 * rank;

    MPI_Datatype every_other, column;
    MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
    MPI_Type_vector(N - 1, 1, N, MPI_INT, &column);
    MPI_Type_commit(&every_other);
    MPI_Type_commit(&column);
    for (int i = 0; i < 2 * N; i++)
        data[i] = i + 100 * rank;
    MPI_Sendrecv(data, 1, every_other, other, 1, data + 1, 1, every_other, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * N; i++)
        wrong += data[i] != i / 2 * 2 + 100 * (i % 2 ? other : rank);

    for (int i = 0; i < N * N; i++)
        square[i / N][i % N] = i + 1000 * rank;
    /* the first column without the corner becomes the first row without it */
    MPI_Sendrecv(&square[1][0], 1, column, MPI_PROC_NULL, 2, &square[0][1], N - 1, MPI_INT, MPI_PROC_NULL, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&square[1][0], 1, column, other, 2, &square[0][1], N - 1, MPI_INT, other, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i < N; i++)
        wrong += square[0][i] != N * i + 1000 * other || square[i][0] != N * i + 1000 * rank;
    MPI_Sendrecv_replace(&square[0][N - 1], 1, column, other, 3, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < N - 1; i++)
        wrong += square[i][N - 1] != N * i + N - 1 + 1000 * other;
    MPI_Type_free(&every_other);
    MPI_Type_free(&column);
    MPI_Finalize();
    return wrong != 0;
}
