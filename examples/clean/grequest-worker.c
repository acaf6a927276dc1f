// A thread that calls MPI nowhere else completes a generalized request after a while, when all others have waited long.
//
// Correct: while it sleeps nobody is stuck, as it may complete the request at any time.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static MPI_Request handle;
static int rank;

static void *work(void *unused)
{
    (void)unused;
    sleep(4);
    MPI_Grequest_complete(handle);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, elements = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    handle = request;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: done\n", rank);
    MPI_Finalize();
    return 0;
}
