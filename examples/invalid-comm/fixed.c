// Only the even ranks work on a part of the data, in a communicator of their own.
//
// Correct: the odd ranks, which got MPI_COMM_NULL, leave out the calls on it.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm even;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, rank, &even);
    if (even != MPI_COMM_NULL)
        MPI_Barrier(even);
    if (even != MPI_COMM_NULL)
        MPI_Comm_free(&even);
    MPI_Finalize();
    return 0;
}
