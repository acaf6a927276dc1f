// Rank 0 sends two blocks with MPI_Bsend, so that it need not wait for rank 1.
//
// Correct: the attached buffer has room for both, with MPI_BSEND_OVERHEAD for each. MPI_PROC_NULL needs none.
//
// ranks: 2

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static double block[1000];
    int rank, size;
    void *address;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Bsend(block, 1000, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Pack_size(1000, MPI_DOUBLE, MPI_COMM_WORLD, &size);
        size = 2 * (size + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(malloc(size), size);
        MPI_Bsend(block, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Bsend(block, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&address, &size);
        free(address);
    } else {
        MPI_Recv(block, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(block, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
