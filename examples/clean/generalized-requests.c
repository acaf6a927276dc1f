// A generalized request: the program's own operation, completed by a thread, waited for with others.
//
// Correct: it is completed once, with MPI_Grequest_complete, and its callbacks follow the rules.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int freed;

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
    freed++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void *compute(void *request)
{
    usleep(300000);
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, got = -1, elements = 7, count;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Request requests[3], mine;
    MPI_Status statuses[3];
    MPI_Grequest_start(query, release, cancel, &elements, &requests[0]);
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[2]);
    mine = requests[0];
    pthread_t thread;
    pthread_create(&thread, NULL, compute, &mine);
    MPI_Waitall(3, requests, statuses);
    pthread_join(thread, NULL);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    printf("rank %d: got %d, %d elements, freed %d\n", rank, got, count, freed);
    MPI_Finalize();
    return 0;
}
