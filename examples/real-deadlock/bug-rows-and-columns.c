// Sums over the rows and over the columns of a grid of 2 x 2 processes.
//
// What is wrong: the ranks on the diagonal sum over their rows first, the others over their columns: each waits for
// its neighbour in a communicator of its own, around the grid.
// The fix: all begin with the rows.
//
// ranks: 4
// expect: real-deadlock ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, sums[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int row = rank / 2, column = rank % 2;
    MPI_Comm line[2];
    MPI_Comm_split(MPI_COMM_WORLD, row, rank, &line[0]);
    MPI_Comm_split(MPI_COMM_WORLD, column, rank, &line[1]);

    int first = row == column ? 0 : 1;
    for (int i = 0; i < 2; i++) {
        int which = i == 0 ? first : 1 - first;
        MPI_Allreduce(&rank, &sums[which], 1, MPI_INT, MPI_SUM, line[which]); //~ real-deadlock
    }
    if (rank == 0)
        printf("row %d, column %d\n", sums[0], sums[1]);
    MPI_Comm_free(&line[0]);
    MPI_Comm_free(&line[1]);
    MPI_Finalize();
    return 0;
}
