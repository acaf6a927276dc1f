// Neighbours exchange a column of a matrix.
//
// Correct: each exchange frees its datatype.
//
// ranks: 2

#include <mpi.h>

static double cells[4][4];

static void exchange(int neighbor)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(&cells[0][3], 1, column, neighbor, 0, &cells[0][0], 1, column, neighbor, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 5; step++)
        exchange(1 - rank);
    MPI_Finalize();
    return 0;
}
