// A process gets signals, by argument. Its output, and how it ends, must not depend on mpivet.

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void count(int signal)
{
    (void)signal;
    got++;
}

static void flags(const char *when, int signal)
{
    struct sigaction now;
    sigaction(signal, NULL, &now);
    printf("%s: restart %d, nodefer %d, onstack %d, blocks SIGUSR1 %d, ignored %d\n", when,
           !!(now.sa_flags & SA_RESTART), !!(now.sa_flags & SA_NODEFER), !!(now.sa_flags & SA_ONSTACK),
           sigismember(&now.sa_mask, SIGUSR1), now.sa_handler == SIG_IGN);
}

// Handlers from before MPI_Init.
static void early(void)
{
    struct sigaction term = {.sa_handler = count, .sa_flags = SA_RESTART},
                     interrupt = {.sa_handler = count, .sa_flags = SA_NODEFER};
    sigaddset(&term.sa_mask, SIGUSR1);
    sigaction(SIGTERM, &term, NULL);
    sigaction(SIGINT, &interrupt, NULL);
}

static void handled(void)
{
    flags("SIGTERM", SIGTERM);
    flags("SIGINT", SIGINT);
    raise(SIGTERM);
    raise(SIGINT);
    signal(SIGTERM, count);
    raise(SIGTERM);
    printf("%d signals\n", (int)got);
}

static void waited(void)
{
    sigset_t set;
    int which = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGINT);
    sigwait(&set, &which);
    printf("waited for %d\n", which);
}

static void child(void)
{
    int ready[2], status = 0;
    char byte = 0;
    if (pipe(ready))
        exit(3);
    pid_t pid = fork();
    if (!pid) {
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(4);
    }
    if (read(ready[0], &byte, 1) != 1)
        exit(5);
    kill(pid, SIGTERM);
    waitpid(pid, &status, 0);
    printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void crash(int which)
{
    static volatile int zero, *nowhere;
    if (which == SIGSEGV)
        *nowhere = 1;
    else if (which == SIGFPE)
        zero = 77 / zero;
    else if (which == SIGILL)
        __builtin_trap();
    else if (which == SIGABRT)
        abort();
    else
        kill(getpid(), which);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "handled"))
        early();
    MPI_Init(&argc, &argv);
    if (!strcmp(how, "handled"))
        handled();
    else if (!strcmp(how, "ignored")) {
        flags("SIGTERM", SIGTERM);
        flags("SIGINT", SIGINT);
        raise(SIGTERM);
        raise(SIGINT);
    } else if (!strcmp(how, "waited"))
        waited();
    else if (!strcmp(how, "child"))
        child();
    else if (!strcmp(how, "wait") || !strcmp(how, "left")) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (!strcmp(how, "left")) {
            if (rank == 1)
                exit(0);
            /* The launcher tells the others by a signal, which ends a sleep. */
            for (int i = 0; i < 20; i++)
                usleep(100 * 1000);
        } else
            MPI_Barrier(MPI_COMM_WORLD);
        FILE *ready = fopen(argv[2], "w");
        fclose(ready);
        for (int i = 0; i < 200; i++) {
            usleep(100 * 1000);
            MPI_Barrier(!strcmp(how, "left") ? MPI_COMM_SELF : MPI_COMM_WORLD);
        }
    } else
        crash(atoi(how));
    MPI_Finalize();
    printf("end\n");
    return 0;
}
