// Eight threads a rank exchange messages at the same time (MPI_THREAD_MULTIPLE), thousands each.
//
// What is wrong: in its last message thread 5 of rank 0 sends integers where thread 5 of rank 1 expects unsigned ones.
//
// ranks: 2
// expect: wrong-data-type ranks 0,1
// timeout: 60

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 16, WINDOW = 100 };

static int rank, other;
static MPI_Comm comms[THREADS];
static long sums[THREADS];

static void *talk(void *argument)
{
    int me = *(int *)argument;
    MPI_Comm comm = me % 2 ? comms[me] : MPI_COMM_WORLD;
    MPI_Datatype type = me % 4 < 2 ? MPI_UNSIGNED : MPI_INT;
    for (int round = 0; round < ROUNDS; round++) {
        int in[WINDOW][2], out[WINDOW][2];
        MPI_Request requests[2 * WINDOW];
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(in[i], 2, type, other, me, comm, &requests[i]); //~ wrong-data-type
        for (int i = 0; i < WINDOW; i++) {
            out[i][0] = out[i][1] = me;
            int last = rank == 0 && me == 5 && round == ROUNDS - 1 && i == WINDOW - 1;
            MPI_Isend(out[i], 1 + i % 2, last ? MPI_INT : type, other, me, comm, &requests[WINDOW + i]); //~ wrong-data-type
        }
        MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < WINDOW; i++)
            sums[me] += in[i][0];
        if (me % 2)
            MPI_Allreduce(MPI_IN_PLACE, &sums[me], 1, MPI_LONG, MPI_MAX, comm);
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

    pthread_t threads[THREADS];
    int names[THREADS];
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    for (int t = 0; t < THREADS; t++) {
        names[t] = t;
        pthread_create(&threads[t], NULL, talk, &names[t]);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        printf("rank %d thread %d: %ld\n", rank, t, sums[t]);
        MPI_Comm_free(&comms[t]);
    }
    MPI_Finalize();
    return 0;
}
