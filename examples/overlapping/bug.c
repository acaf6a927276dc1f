// Each rank keeps a field of 4 x 6 cells, of which columns 0 and 5 are ghosts, and exchanges its border columns.
//
// What is wrong: the ghost column is received into column 4, the border column that is being sent.
// The fix: receive into column 5.
//
// ranks: 2
// expect: overlapping ranks 0,1

#include <mpi.h>

enum { ROWS = 4, COLUMNS = 6 };

int main(int argc, char **argv)
{
    static double field[ROWS][COLUMNS];
    MPI_Request requests[2];
    MPI_Datatype column;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    MPI_Isend(&field[0][4], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]); //~ overlapping
    MPI_Irecv(&field[0][4], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); //~ overlapping
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
