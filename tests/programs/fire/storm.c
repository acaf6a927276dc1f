// Starts children that end in every way, between MPI calls. Only the parent is recorded.

#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(int kind)
{
    int flag, rank;
    switch (kind) {
    case 0: exit(7);
    case 1: _exit(8);
    case 2: execlp("true", "true", (char *)NULL); _exit(1);
    case 3: kill(getpid(), SIGTERM); pause(); _exit(1);
    case 4: raise(SIGINT); _exit(1);
    case 5: _exit(fork() ? 0 : 3);
    case 6: MPI_Initialized(&flag); exit(flag);
    case 7: MPI_Comm_rank(MPI_COMM_WORLD, &rank); exit(rank);
    default: kill(getpid(), SIGKILL); _exit(1);
    }
}

int main(int argc, char **argv)
{
    const int kinds = 9, children = 180;
    int wrong = 0, ended = 0;
    pid_t pids[12], raw;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < children; i++) {
        int in = -1;
        pids[i % 12] = fork();
        if (!pids[i % 12])
            child(i % kinds);
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        wrong += in != i;
        // Open MPI has a child of its own.
        for (int k = 0; i % 12 == 11 && k < 12; k++)
            ended += waitpid(pids[k], NULL, 0) == pids[k];
    }
    // Without the C library, so that nobody is told of the child.
    raw = (pid_t)syscall(SYS_fork);
    if (!raw) {
        int rank;
        for (int i = 0; i < 20000; i++)
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        _exit(0);
    }
    ended += waitpid(raw, NULL, 0) == raw;
    printf("%d children, %d wrong\n", ended, wrong);
    MPI_Finalize();
    return 0;
}
