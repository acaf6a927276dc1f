// Rank 0 sends a block with MPI_Bsend, so that it need not wait for rank 1.
//
// What is wrong: the attached buffer has room for the data, but not for MPI_BSEND_OVERHEAD.
// The fix: ask MPI_Pack_size, and add MPI_BSEND_OVERHEAD.
//
// ranks: 2
// expect: buffered-send-space ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    static char buffer[1000 * sizeof(double)];
    static double block[1000];
    int rank, size;
    void *address;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, sizeof buffer);                       //~ buffered-send-space
        MPI_Bsend(block, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);       //~ buffered-send-space
        MPI_Buffer_detach(&address, &size);
    } else {
        MPI_Recv(block, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
