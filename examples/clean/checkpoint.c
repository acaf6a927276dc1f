// A job that is asked to end by SIGTERM writes a checkpoint and ends properly: nothing is wrong with that, whether the
// program installs its handler before MPI_Init or after it, and whether a call of MPI or of the system is interrupted.
//
// ranks: 3

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t asked, interrupts;

static void on_term(int signal)
{
    (void)signal;
    asked = 1;
}

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts++;
}

int main(int argc, char **argv)
{
    struct sigaction early = {.sa_handler = on_term, .sa_flags = SA_RESTART}, late = {.sa_handler = on_interrupt};
    sigaction(SIGTERM, &early, NULL);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sigaction(SIGINT, &late, NULL);

    struct sigaction now;
    sigaction(SIGTERM, NULL, &now);
    if (!(now.sa_flags & SA_RESTART))
        printf("rank %d: interrupted system calls would not go on\n", rank);
    if (rank == 1) {
        kill(getpid(), SIGINT);
        char command[64];
        snprintf(command, sizeof command, "kill -TERM %d", (int)getpid());
        if (system(command) != 0)
            return 1;
    }
    int all = 0;
    while (!all) {
        int mine = asked;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    printf("rank %d: checkpoint, %d interrupts\n", rank, (int)interrupts);
    MPI_Finalize();
    return 0;
}
