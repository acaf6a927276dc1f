// A chain of cells; every rank tells its right neighbour the value of its last cell. The settings say whether the
// chain is closed to a ring.
//
// Fixed: rank 0 tells the others the setting before the grid is made.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int closed = rank == 0; // from the settings
    MPI_Bcast(&closed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm chain;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &closed, 0, &chain);

    int left, right;
    MPI_Cart_shift(chain, 0, 1, &left, &right);
    double last = 1.5 * rank, edge = 0;
    MPI_Sendrecv(&last, 1, MPI_DOUBLE, right, 0, &edge, 1, MPI_DOUBLE, left, 0, chain, MPI_STATUS_IGNORE);
    printf("rank %d begins with %.1f\n", rank, edge);
    MPI_Comm_free(&chain);
    MPI_Finalize();
    return 0;
}
