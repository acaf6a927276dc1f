// A grid of 2 x 2 is made of however many ranks there are.
//
// What is wrong: with 2 ranks there is no room for 4.
// The fix: MPI_Dims_create chooses the grid.
//
// ranks: 2
// expect: invalid-topology

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int dims[2] = {2, 2}, periods[2] = {0, 0};
    if (dims[0] == 0)
        MPI_Dims_create(size, 2, dims);
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid); //~ invalid-topology
    if (grid != MPI_COMM_NULL)
        MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
