// Sums over the rows and over the columns of a grid of 2 x 2 processes.
//
// Fixed: all begin with the rows.
//
// ranks: 4

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

    for (int i = 0; i < 2; i++) {
        MPI_Allreduce(&rank, &sums[i], 1, MPI_INT, MPI_SUM, line[i]);
    }
    if (rank == 0)
        printf("row %d, column %d\n", sums[0], sums[1]);
    MPI_Comm_free(&line[0]);
    MPI_Comm_free(&line[1]);
    MPI_Finalize();
    return 0;
}
