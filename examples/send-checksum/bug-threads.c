// Rank 0 sends a block in one thread and completes the send in another, which works on the next block meanwhile.
//
// What is wrong: both are one block, which changes before the send is complete.
// The fix: two blocks.
//
// ranks: 2
// expect: send-checksum ranks 0

#include <mpi.h>
#include <pthread.h>

enum { LENGTH = 1000 };

static double block[LENGTH];
static MPI_Request request;

static void *next_block(void *unused)
{
    for (int i = 10; i < 20; i++)
        block[i] = 1 + i;
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ send-checksum
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t thread;
        MPI_Isend(block, LENGTH, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); //~ send-checksum
        pthread_create(&thread, NULL, next_block, NULL);
        pthread_join(thread, NULL);
    } else {
        MPI_Recv(block, LENGTH, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
