// Two threads a rank communicate at the same time (MPI_THREAD_MULTIPLE).
//
// Correct: each thread has a communicator of its own, or tags of its own; a receive in one thread is
// completed by a wait in another, with proper synchronization.
//
// ranks: 2

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { MESSAGES = 100 };

static int rank, other;
static MPI_Comm comms[2];
static long sums[2];

static void *talk(void *argument)
{
    int me = *(int *)argument;
    for (int i = 0; i < MESSAGES; i++) {
        int out = 1000 * me + i, in, tagged;
        MPI_Request request;
        MPI_Irecv(&tagged, 1, MPI_INT, other, 10 + me, MPI_COMM_WORLD, &request);
        if ((rank + me) % 2) {
            MPI_Send(&out, 1, MPI_INT, other, 0, comms[me]);
            MPI_Recv(&in, 1, MPI_INT, other, 0, comms[me], MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&in, 1, MPI_INT, other, 0, comms[me], MPI_STATUS_IGNORE);
            MPI_Send(&out, 1, MPI_INT, other, 0, comms[me]);
        }
        MPI_Send(&i, 1, MPI_INT, other, 10 + me, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (i % 10 == 0)
            MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_MAX, comms[me]);
        sums[me] += in + tagged;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;

    pthread_t threads[2];
    int names[2] = {0, 1};
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    for (int t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, talk, &names[t]);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    printf("rank %d: %ld %ld\n", rank, sums[0], sums[1]);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
