// The tag of a message is the number of the block.
//
// Correct: every MPI library allows tags up to 32767.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double block[10] = {0};
    int step = argc > 1 ? 200 : 100;
    int tag = step > 0 ? 7 : 8;
    if (rank == 0)
        MPI_Send(block, 10, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
    else
        MPI_Recv(block, 10, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
