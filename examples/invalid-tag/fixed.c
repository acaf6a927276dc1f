// Messages are numbered by the index of a block.
//
// Correct: the tags count from 0.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    double block[100] = {0};
    int index = -10;
    int tag = index + 10;
    if (rank == 0)
        MPI_Send(block, 100, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
    else
        MPI_Recv(block, 100, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
