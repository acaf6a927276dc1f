// Threads that are older than MPI, and threads with as little stack as there may be (the argument: bytes).

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, CALLS = 200 };

static pthread_barrier_t begun, ended;
static int right[THREADS];

static void *old(void *mine)
{
    int tag = (int)((int *)mine - right);
    pthread_barrier_wait(&begun);
    for (int i = 0; i < CALLS; i++) {
        int in = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        right[tag] += in == i;
    }
    pthread_barrier_wait(&ended);
    return NULL;
}

static void *tiny(void *result)
{
    int size;
    MPI_Datatype type;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(5, MPI_INT, &type);
    MPI_Type_free(&type);
    *(int *)result = size;
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, size = 0;
    pthread_t threads[THREADS], small;
    pthread_attr_t attributes;
    pthread_barrier_init(&begun, NULL, THREADS + 1);
    pthread_barrier_init(&ended, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, old, &right[i]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&ended);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, argc > 1 ? atoi(argv[1]) : PTHREAD_STACK_MIN))
        return 2;
    if (pthread_create(&small, &attributes, tiny, &size))
        return 3;
    pthread_join(small, NULL);
    printf("%d %d %d %d, %d\n", right[0], right[1], right[2], right[3], size);
    MPI_Finalize();
    return 0;
}
