/* Wildcards with several messages to take; the argument says how rank 0 takes them and what it makes of them.
 * gather: in any order, and does the same in all. master: answers whoever was first, under a probe. mistake: the same with
 * receives, and it stops answering when rank 2 comes right after rank 1, so that rank 2 and rank 0 wait for each other.
 * twice: reads its input, and is stuck if the second of two is first. crash: dies if the second of two is first. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void pause_for(long milliseconds)
{
    struct timespec pause = {0, milliseconds * 1000000};
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
    for (int i = 1; i < size; i++) {
        if (!strcmp(how, "master")) {
            MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            take_from(status.MPI_SOURCE, 1, &status);
            give(status.MPI_SOURCE, 2);
            continue;
        }
        take_from(MPI_ANY_SOURCE, 1, &status);
        if (!strcmp(how, "crash") && i == 1 && status.MPI_SOURCE == 2)
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
    if (rank == 0) {
        if (!strcmp(how, "input") && scanf("%d", &number) == 1)
            printf("read %d\n", number);
        rank_0(how, size);
    } else {
        pause_for(100 * (rank - 1));
        give(0, 1);
        if (strcmp(how, "crash") && strcmp(how, "input"))
            take_from(0, 2, &status);
    }
    MPI_Finalize();
    return 0;
}
