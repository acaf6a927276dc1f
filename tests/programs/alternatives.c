/* Wildcards with several messages to take; the first argument says how rank 0 takes them and what it makes of them.
 * gather: in any order, and does the same in all. master: answers whoever was first, under a probe. mistake: the same with
 * receives, and when rank 2 comes right after rank 3, rank 2 and rank 0 wait for each other. exit: ends at once if rank 2 is
 * first. input: reads a number before. loses: rank 2 sends nothing if the file of the second argument is there, which the
 * first run makes. changes: the same, but rank 0 receives by another function. overtakes: the same, but rank 2 sends
 * another message before, with another tag. slow: does not end for long. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Not the first run. */
static int again;

static void pause_for(long milliseconds)
{
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static int take_from(int source, int tag, MPI_Status *status)
{
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, status);
    return value;
}

static void give(int to, int tag)
{
    int value = tag;
    MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void rank_0(const char *how, int size)
{
    MPI_Status status;
    int before = 0;
    int messages = size - 1, tag = 1;
    if (!strcmp(how, "loses") && again)
        messages--;
    if (!strcmp(how, "overtakes")) {
        tag = MPI_ANY_TAG;
        messages += again;
    }
    for (int i = 1; i <= messages; i++) {
        if (!strcmp(how, "changes") && again) {
            int value = 0;
            MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                         &status);
            continue;
        }
        if (!strcmp(how, "master")) {
            MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            take_from(status.MPI_SOURCE, 1, &status);
            give(status.MPI_SOURCE, 2);
            continue;
        }
        take_from(MPI_ANY_SOURCE, tag, &status);
        if (!strcmp(how, "exit") && i == 1 && status.MPI_SOURCE == 2)
            exit(3);
        if (!strcmp(how, "mistake")) {
            if (before == 3 && status.MPI_SOURCE == 2)
                take_from(2, 5, &status);
            before = status.MPI_SOURCE;
            give(before, 2);
        }
    }
    if (!strcmp(how, "gather"))
        for (int i = 1; i < size; i++)
            give(i, 2);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "gather";
    int rank, size, number = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    again = argc > 2 && !access(argv[2], F_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && argc > 2)
        fclose(fopen(argv[2], "w"));
    if (!strcmp(how, "slow") && again)
        pause_for(20000);
    if (rank == 0) {
        if (!strcmp(how, "input") && scanf("%d", &number) == 1)
            printf("read %d\n", number);
        rank_0(how, size);
    } else {
        // On a busy machine a pause alone does not let rank 1 send first.
        if (!strcmp(how, "exit") && rank == 2)
            take_from(1, 9, &status);
        pause_for(100 * (rank - 1));
        if (!strcmp(how, "overtakes") && rank == 2 && again)
            give(0, 3);
        if (strcmp(how, "loses") || rank != 2 || !again)
            give(0, 1);
        if (!strcmp(how, "exit") && rank == 1)
            give(2, 9);
        if (!strcmp(how, "gather") || !strcmp(how, "master") || !strcmp(how, "mistake"))
            take_from(0, 2, &status);
    }
    MPI_Finalize();
    return 0;
}
