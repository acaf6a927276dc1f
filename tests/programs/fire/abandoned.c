// A signal handler jumps out of mpivet while it holds a lock (the region is one of mpivet's own tests), and the thread makes no
// other call; another thread completes what the first one has begun.
#define _GNU_SOURCE
#include <mpivet.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;

static void jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void *completes(void *request)
{
    int value = 7;
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int in = -1, level;
    MPI_Request request;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    struct sigaction action = {.sa_handler = jump};
    sigaction(SIGUSR1, &action, NULL);
    MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    if (!sigsetjmp(back, 1))
        mpivet_region_begin("mpivet is interrupted");
    pthread_create(&thread, NULL, completes, &request);
    pthread_join(thread, NULL);
    printf("%d, level %s\n", in, level == MPI_THREAD_MULTIPLE ? "multiple" : "less");
    MPI_Finalize();
    return 0;
}
