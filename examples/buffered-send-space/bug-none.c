// Rank 0 sends a block with MPI_Bsend, so that it need not wait for rank 1.
//
// What is wrong: nobody has attached a buffer.
// The fix: MPI_Buffer_attach.
//
// ranks: 2
// expect: buffered-send-space ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    static double block[1000];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Bsend(block, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); //~ buffered-send-space
    else
        MPI_Recv(block, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
