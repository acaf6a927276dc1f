// A master deals out ten rows to three workers, in turn.
//
// Fixed: the first rows % workers workers expect one row more.
//
// ranks: 4

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
            MPI_Send(&row, 1, MPI_INT, 1 + row % workers, 0, MPI_COMM_WORLD);
    } else {
        int share = ROWS / workers + (rank <= ROWS % workers);
        for (int i = 0; i < share; i++) {
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
