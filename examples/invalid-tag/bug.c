// Messages are numbered by the index of a block, and the first index is -1.
//
// What is wrong: a tag must not be negative; only a receive may say MPI_ANY_TAG, which is negative in many libraries.
// The fix: the tags count from 0.
//
// ranks: 2
// expect: invalid-tag ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    double block[100] = {0};
    int index = -10;
    int tag = index;
    if (rank == 0)
        MPI_Send(block, 100, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD); //~ invalid-tag
    else
        MPI_Recv(block, 100, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
