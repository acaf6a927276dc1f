// A thread waits for a message; the main thread looks whether it has come.
//
// What is wrong: both hand the same request to MPI. A request can be completed only once, and MPI_Test
// would complete it behind the back of the thread that waits.
//
// ranks: 2
// expect: concurrent-misuse ranks 0

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static MPI_Request request;

static void *wait_for_it(void *unused)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ concurrent-misuse
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided, value = 0, flag;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t waiter;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); //~ concurrent-misuse
        pthread_create(&waiter, NULL, wait_for_it, NULL);
        usleep(100000);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE); //~ concurrent-misuse
        MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        pthread_join(waiter, NULL);
        printf("got %d\n", value);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
