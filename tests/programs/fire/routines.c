// Calls Fortran routines that reach no C entry point in some MPI libraries, while a signal handler calls MPI.

#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void mpi_comm_get_attr_(MPI_Fint *comm, MPI_Fint *key, MPI_Aint *value, MPI_Fint *flag, MPI_Fint *error);

static volatile sig_atomic_t got;

static void ask(int signal)
{
    int size;
    (void)signal;
    got++;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

// To this thread alone: libraries have threads of their own.
static void every(long microseconds)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    struct itimerspec times = {{0, microseconds * 1000}, {0, microseconds * 1000}};
    event._sigev_un._tid = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &times, NULL);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = ask};
    MPI_Fint comm, key, flag, error;
    MPI_Aint value;
    long calls = 0, wrong = 0;
    MPI_Init(&argc, &argv);
    comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    sigaction(SIGALRM, &action, NULL);
    every(200);
    for (; calls < 400000; calls++) {
        mpi_comm_get_attr_(&comm, &key, &value, &flag, &error);
        wrong += flag || error;
    }
    signal(SIGALRM, SIG_IGN);
    printf("%ld calls, %ld wrong, %s\n", calls, wrong, got > 10 ? "interrupted" : "never interrupted");
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
