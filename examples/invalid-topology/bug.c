// Rank 0 looks for its neighbours in a grid.
//
// What is wrong: the dimensions are counted from 1; those of a grid of two dimensions are 0 and 1.
// The fix: they are counted from 0.
//
// ranks: 2
// expect: invalid-topology ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int dims[2] = {0, 0}, periods[2] = {0, 1}, below[2], above[2];
    MPI_Dims_create(size, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    for (int d = 0; d < 2 && rank == 0; d++)
        MPI_Cart_shift(grid, d + 1, 1, &below[d], &above[d]); //~ invalid-topology
    MPI_Barrier(grid);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
