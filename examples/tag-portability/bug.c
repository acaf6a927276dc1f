// The tag of a message is made of the step and the number of the block.
//
// What is wrong: it is above 32767, which not every MPI library allows.
// The fix: the step need not be in the tag, since messages between two ranks are ordered.
//
// ranks: 2
// expect: tag-portability ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double block[10] = {0};
    int step = argc > 1 ? 200 : 100;
    int tag = 1000 * step + 7;
    if (rank == 0)
        MPI_Send(block, 10, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD); //~ tag-portability
    else
        MPI_Recv(block, 10, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
