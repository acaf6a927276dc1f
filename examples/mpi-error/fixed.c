// Temperatures in a row of cells, one cell a rank: the steepest fall towards the right-hand neighbour.
//
// Fixed: MPI_Cart_shift finds both neighbours, and gives MPI_PROC_NULL beyond the edge.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm row;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){0}, 0, &row);
    int rank, here, left, right;
    MPI_Comm_rank(row, &rank);
    MPI_Cart_coords(row, rank, 1, &here);
    MPI_Cart_shift(row, 0, 1, &left, &right);

    double mine = 90.0 / (1 + here), other = 0;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, left, 0, &other, 1, MPI_DOUBLE, right, 0, row,
                 MPI_STATUS_IGNORE);
    double fall = right == MPI_PROC_NULL ? 0 : mine - other, steepest = 0;
    MPI_Reduce(&fall, &steepest, 1, MPI_DOUBLE, MPI_MAX, 0, row);
    if (rank == 0)
        printf("steepest fall: %.1f\n", steepest);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
