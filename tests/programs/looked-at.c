/* A job to look at from outside. Each rank writes its process number, and what it is going to post, to rank-N in the
   directory of the first argument; the second says what it does then. Lines: queue communicator peer tag bytes address. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LONG 100000

static int big[LONG], small[4], triple[3];
static FILE *told;

static void tell(const char *queue, const char *comm, int peer, int tag, size_t bytes, const void *buffer)
{
    fprintf(told, "%s %s %d %d %zu 0x%zx\n", queue, comm, peer, tag, bytes, (size_t)buffer);
}

/* The file is there when it is whole. */
static void told_all(const char *dir, int rank)
{
    char part[4096], name[4096];
    fclose(told);
    snprintf(part, sizeof part, "%s/part-%d", dir, rank);
    snprintf(name, sizeof name, "%s/rank-%d", dir, rank);
    rename(part, name);
}

/* Computes for ever; a test ends it. */
static void compute(void)
{
    for (;;)
        usleep(1000);
}

/* A wildcard and a receive that nobody serves, a long message that nobody takes, and a receive of what nobody sends. */
static void deadlock(const char *dir, int rank, MPI_Comm dup)
{
    MPI_Request requests[2];
    if (rank == 0) {
        tell("receive", "dup", -1, -1, sizeof small, small);
        tell("receive", "MPI_COMM_WORLD", 1, 7, sizeof triple, triple);
        tell("send", "MPI_COMM_WORLD", 1, 5, sizeof big, big);
        told_all(dir, rank);
        MPI_Irecv(small, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, &requests[0]);
        MPI_Irecv(triple, 3, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(big, LONG, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
        tell("receive", "MPI_COMM_WORLD", 0, 9, sizeof(int), small);
        told_all(dir, rank);
        MPI_Recv(small, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        told_all(dir, rank);
        compute();
    }
}

/* As a deadlock, but the last rank may still send to anybody. */
static void hope(const char *dir, int rank, int size)
{
    told_all(dir, rank);
    if (rank == size - 1)
        compute();
    MPI_Recv(small, 1, MPI_INT, rank == 0 ? MPI_ANY_SOURCE : 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Messages of all lengths around a ring, for ever. */
static void work(const char *dir, int rank, int size)
{
    told_all(dir, rank);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    static int got[LONG];
    for (int i = 0;; i++) {
        MPI_Request requests[3];
        int length = i % 3 == 0 ? LONG : 10;
        MPI_Irecv(got, length, MPI_INT, before, i % 1000, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(big, length, MPI_INT, next, i % 1000, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) {
            MPI_Send(small, 4, MPI_INT, next, 7, MPI_COMM_WORLD);
            MPI_Recv(got, 4, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(got, 4, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(small, 4, MPI_INT, next, 7, MPI_COMM_WORLD);
        }
    }
}

/* One short message to and fro, for ever: both ranks are in MPI_Recv nearly always, and look the same each time. */
static void pingpong(const char *dir, int rank)
{
    told_all(dir, rank);
    for (;;) {
        if (rank == 0)
            MPI_Send(small, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(small, 4, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(small, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}

/* All wait for a message of the rank before, with requests. */
static void waitall(const char *dir, int rank, int size)
{
    MPI_Request requests[2];
    tell("receive", "MPI_COMM_WORLD", (rank + size - 1) % size, 3, sizeof triple, triple);
    tell("receive", "MPI_COMM_WORLD", (rank + size - 1) % size, 2, sizeof small, small);
    told_all(dir, rank);
    MPI_Irecv(triple, 3, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(small, 4, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Groups {0} and {1}; each receives what the other will send later: no deadlock, whatever the ranks look like. */
static void inter(const char *dir, int rank)
{
    MPI_Comm joined;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 4, &joined);
    MPI_Comm_set_name(joined, "joined");
    if (rank == 0)
        tell("receive", "joined", 0, 6, sizeof small, small);
    told_all(dir, rank);
    if (rank == 1)
        compute();
    MPI_Recv(small, 4, MPI_INT, 0, 6, joined, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm dup;
    char part[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3)
        return 1;
    const char *dir = argv[1], *what = argv[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_name(dup, "dup");
    snprintf(part, sizeof part, "%s/part-%d", dir, rank);
    told = fopen(part, "w");
    if (!told)
        return 1;
    fprintf(told, "pid %d\n", (int)getpid());
    if (!strcmp(what, "deadlock"))
        deadlock(dir, rank, dup);
    else if (!strcmp(what, "hope"))
        hope(dir, rank, size);
    else if (!strcmp(what, "work"))
        work(dir, rank, size);
    else if (!strcmp(what, "pingpong"))
        pingpong(dir, rank);
    else if (!strcmp(what, "waitall"))
        waitall(dir, rank, size);
    else if (!strcmp(what, "inter"))
        inter(dir, rank);
    MPI_Finalize();
    return 0;
}
