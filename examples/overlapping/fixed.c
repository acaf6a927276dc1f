// Each rank keeps a field of 4 x 6 cells, of which columns 0 and 5 are ghosts, and exchanges its border columns.
//
// Correct: the columns that are sent and received lie between each other, and share no byte.
//
// ranks: 2

#include <mpi.h>

enum { ROWS = 4, COLUMNS = 6 };

int main(int argc, char **argv)
{
    static double field[ROWS][COLUMNS];
    MPI_Request requests[4];
    MPI_Datatype column;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    MPI_Isend(&field[0][4], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&field[0][5], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&field[0][1], 1, column, 1 - rank, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&field[0][0], 1, column, 1 - rank, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
