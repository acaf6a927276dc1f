// The main threads wait for each other; a thread of rank 1 that has not called MPI yet prepares a message.
//
// Correct: that message is what the main thread of rank 0 waits for, which then sends what that of rank 1 waits for.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int rank;

static void *prepare(void *unused)
{
    sleep(3);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, value;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    pthread_t helper;
    if (rank == 1)
        pthread_create(&helper, NULL, prepare, NULL);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        pthread_join(helper, NULL);
    printf("rank %d got %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
