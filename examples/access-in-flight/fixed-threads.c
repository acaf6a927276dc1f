// A second thread works on data that the first one exchanges with another rank.
//
// Correct: the thread is started when the receive is complete.
//
// ranks: 2
// options: --precise

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { LENGTH = 1 << 14 };

static int *data;

static void *work(void *unused)
{
    data[3000] = 1;
    return unused;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    pthread_t thread;
    int rank, level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (posix_memalign((void **)&data, 4096, LENGTH * sizeof *data))
        return 1;
    int *own = calloc(LENGTH, sizeof *own);
    MPI_Irecv(data, LENGTH, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(own, LENGTH, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    free(own);
    free(data);
    MPI_Finalize();
    return 0;
}
