// A master deals out ten rows to three workers, in turn.
//
// What is wrong: every worker expects rows / workers messages, which is three. Ten is not divisible by
// three: the last row is sent, and nobody receives it. The program ends with a wrong sum.
// The fix: the first rows % workers workers expect one row more.
//
// ranks: 4
// expect: nonpaired-send ranks 0

#include <mpi.h>
#include <stdio.h>

enum { ROWS = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int workers = size - 1;

    int sum = 0, total = 0;
    if (rank == 0) {
        for (int row = 0; row < ROWS; row++)
            MPI_Send(&row, 1, MPI_INT, 1 + row % workers, 0, MPI_COMM_WORLD); //~ nonpaired-send
    } else {
        for (int i = 0; i < ROWS / workers; i++) {
            int row;
            MPI_Recv(&row, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += row;
        }
    }
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum over the rows: %d\n", total);
    MPI_Finalize();
    return 0;
}
