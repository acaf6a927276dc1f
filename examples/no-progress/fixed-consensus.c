// Sparse exchange: nobody knows how many messages will come. Each rank sends with MPI_Issend, looks for messages, and
// enters a nonblocking barrier when its own are received; when the barrier is over, nothing can come any more.
//
// Fixed: rank 3, who has nothing to send, takes part as well.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request sent = MPI_REQUEST_NULL, barrier = MPI_REQUEST_NULL;
    if (rank < 3)
        MPI_Issend(&rank, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &sent);
    for (int done = 0; !done;) {
        int found, received;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
        if (found) {
            int value;
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        if (barrier != MPI_REQUEST_NULL) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            MPI_Test(&sent, &received, MPI_STATUS_IGNORE);
            if (received)
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        }
        }
    printf("rank %d got %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
