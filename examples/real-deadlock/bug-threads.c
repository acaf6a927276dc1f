// Eight threads a rank exchange messages with those of the other rank; the main threads wait for them to end.
//
// What is wrong: after many rounds thread 5 of both ranks receives before it sends, so that the two wait for each
// other. All other threads come to their end.
//
// ranks: 2
// expect: real-deadlock ranks 0,1
// timeout: 60

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 1600 };

static int rank, other;

static void *talk(void *argument)
{
    int me = *(int *)argument, in;
    for (int round = 0; round < ROUNDS; round++) {
        // Messages to the own rank, to have many calls.
        MPI_Request request;
        MPI_Isend(&round, 1, MPI_INT, rank, 100 + me, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, rank, 100 + me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int receives_first = rank == 1 || me == 5;
    if (receives_first)
        MPI_Recv(&in, 1, MPI_INT, other, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-deadlock
    MPI_Send(&me, 1, MPI_INT, other, me, MPI_COMM_WORLD);
    if (!receives_first)
        MPI_Recv(&in, 1, MPI_INT, other, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
    for (int t = 0; t < THREADS; t++) {
        names[t] = t;
        pthread_create(&threads[t], NULL, talk, &names[t]);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
