// All columns of one matrix are received at once, while another matrix of interleaved columns is sent.
//
// Correct: the pending types overlap in extent, but no two name the same byte (MPI 4.1, 3.7.2 and 5.1.11).
//
// ranks: 2

#include <mpi.h>

enum { ROWS = 40, COLUMNS = 60 };

static double in[ROWS][COLUMNS], out[ROWS][COLUMNS], both[ROWS][COLUMNS];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, started = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Datatype column;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        out[i / COLUMNS][i % COLUMNS] = i + 0.25 * rank;
        both[i / COLUMNS][i % COLUMNS] = i % 2 == 0 ? i : -1;
    }
    MPI_Request requests[3 * COLUMNS];
    for (int c = COLUMNS - 1; c >= 0; c--)
        MPI_Irecv(&in[0][c], 1, column, other, c, MPI_COMM_WORLD, &requests[started++]);
    for (int c = 0; c < COLUMNS; c++)
        MPI_Isend(&out[0][c], 1, column, other, c, MPI_COMM_WORLD, &requests[started++]);
    /* the even columns of one matrix are sent while the odd ones are received */
    for (int c = 0; c < COLUMNS; c += 2) {
        MPI_Irecv(&both[0][c + 1], 1, column, other, COLUMNS + c, MPI_COMM_WORLD, &requests[started++]);
        MPI_Isend(&both[0][c], 1, column, other, COLUMNS + c, MPI_COMM_WORLD, &requests[started++]);
    }
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        wrong += in[i / COLUMNS][i % COLUMNS] != i + 0.25 * other;
        wrong += both[i / COLUMNS][i % COLUMNS] != i / 2 * 2;
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return wrong != 0;
}
