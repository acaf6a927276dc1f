// Rank 0 sends three blocks of results, each while it works on the next.
//
// What is wrong: there is one buffer for all of them, and it is filled again before the send of the last block is
// complete.
// The fix: two buffers in turn, or MPI_Wait before the buffer is filled.
//
// ranks: 2
// expect: send-checksum ranks 0

#include <mpi.h>

enum { BLOCKS = 3, LENGTH = 1000 };

int main(int argc, char **argv)
{
    static double block[LENGTH];
    MPI_Request request = MPI_REQUEST_NULL;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int b = 0; b < BLOCKS; b++) {
        if (rank == 0) {
            for (int i = 10; i < 20; i++)
                block[i] = b + i;
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                           //~ send-checksum
            MPI_Isend(block, LENGTH, MPI_DOUBLE, 1, b, MPI_COMM_WORLD, &request);            //~ send-checksum
        } else {
            MPI_Recv(block, LENGTH, MPI_DOUBLE, 0, b, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
