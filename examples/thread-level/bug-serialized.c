// The main thread waits for a message while a helper thread looks at the time that is left.
//
// What is wrong: MPI_THREAD_SERIALIZED forbids two calls at once, and the helper calls MPI while the main
// thread is in MPI_Recv.
//
// ranks: 2
// expect: thread-level ranks 0

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *watch(void *unused)
{
    int size;
    usleep(100000);
    MPI_Comm_size(MPI_COMM_WORLD, &size); //~ thread-level
    printf("%d ranks are at work\n", size);
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided, value = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t helper;
        pthread_create(&helper, NULL, watch, NULL);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ thread-level
        pthread_join(helper, NULL);
    } else {
        usleep(400000);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
