// Only the even ranks work on a part of the data, in a communicator of their own.
//
// What is wrong: the odd ranks got MPI_COMM_NULL from MPI_Comm_split, and call the barrier of the communicator all the same.
// The fix: they leave it out.
//
// ranks: 2
// expect: invalid-comm ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm even;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, rank, &even);
    if (rank >= 0)
        MPI_Barrier(even); //~ invalid-comm
    if (even != MPI_COMM_NULL)
        MPI_Comm_free(&even);
    MPI_Finalize();
    return 0;
}
