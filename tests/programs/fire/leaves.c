// Ends of a process, by argument: "exits": another thread calls exit() while the main one waits; "goes": the main thread is
// the first to leave, before MPI is over, and another one ends the process; "late": the main thread leaves when MPI is over,
// and another one, which has called MPI, goes on.

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;
static pthread_t first;

static void *work(void *unused)
{
    int in = 0, out = 3;
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf("%d\n", in);
    fflush(stdout);
    if (!strcmp(how, "exits"))
        exit(5);
    if (!strcmp(how, "goes")) {
        pthread_join(first, NULL);
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        exit(6);
    }
    usleep(50000);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    how = argc > 1 ? argv[1] : "";
    first = pthread_self();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, work, NULL);
    if (!strcmp(how, "late")) {
        usleep(20000);
        MPI_Finalize();
        pthread_exit(NULL);
    }
    if (!strcmp(how, "goes"))
        pthread_exit(NULL);
    pthread_join(thread, NULL);
    return 1;
}
