/*
 * A few kinds of MPI calls, counted by callgrind: tests/tests/budgets.rs.
 *
 *   valgrind --tool=callgrind --instr-atstart=no budget CALLS
 *
 * Each kind is called CALLS times and then twice as often, on one rank. Behind each of the two loops callgrind writes its
 * counts, with the name of the kind and 1 or 2: what is counted once for all (the first call, the dump itself) is in
 * both, and goes away in the difference.
 *
 *   LD_PRELOAD=liballocations.so budget CALLS
 *
 * prints the same of allocations (allocations.c).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

/* Where it is preloaded. */
extern long allocations(void) __attribute__((weak));

/* Where the stack is depends on the environment; which calls meet in the memory of calls, and whether a page ends between two
 * buffers, on addresses. */
static char sent[8], received[8];
static MPI_Request requests[2];

static void comm_rank(long calls)
{
    static int rank;
    for (long i = 0; i < calls; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void self(long calls)
{
    for (long i = 0; i < calls / 4; i++) {
        MPI_Irecv(received, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(sent, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

static void sendrecv(long calls)
{
    for (long i = 0; i < calls; i++)
        MPI_Sendrecv(sent, 8, MPI_BYTE, 0, 1, received, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void allreduce(long calls)
{
    static double in = 1.0, out;
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Polls in vain, for a message that comes behind them. */
static void test(long calls)
{
    static int done;
    done = 0;
    MPI_Irecv(received, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[0]);
    for (long i = 0; i < calls && !done; i++)
        MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    MPI_Send(sent, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* One of 256 ways to the same call, none of which was taken lately. */
static volatile int passed;
static void right(int path, int deep);

static __attribute__((noinline)) void left(int path, int deep)
{
    int rank;
    if (deep == 0)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    else if (path >> (deep - 1) & 1)
        right(path, deep - 1);
    else
        left(path, deep - 1);
    passed += 1;
}

static __attribute__((noinline)) void right(int path, int deep)
{
    int rank;
    if (deep == 0)
        MPI_Comm_size(MPI_COMM_WORLD, &rank);
    else if (path >> (deep - 1) & 1)
        right(path, deep - 1);
    else
        left(path, deep - 1);
    passed -= 1;
}

/* Each call from a stack that is no longer known. */
static void new_stack(long calls)
{
    for (long i = 0; i < calls; i++)
        left(i % 256, 8);
}

static const struct {
    const char *name;
    void (*run)(long calls);
} kinds[] = {
    {"comm-rank", comm_rank}, {"self", self}, {"sendrecv", sendrecv}, {"allreduce", allreduce}, {"test", test},
    {"new-stack", new_stack},
};

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 0;
    if (calls < 4) {
        fprintf(stderr, "usage: budget CALLS\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    CALLGRIND_START_INSTRUMENTATION;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (int times = 1; times <= 2; times++) {
            char name[64];
            snprintf(name, sizeof name, "%s %d", kinds[kind].name, times);
            long before = allocations ? allocations() : 0;
            CALLGRIND_ZERO_STATS;
            kinds[kind].run(times * calls);
            CALLGRIND_DUMP_STATS_AT(name);
            if (allocations)
                printf("%s: %ld\n", name, allocations() - before);
        }
    }
    CALLGRIND_STOP_INSTRUMENTATION;
    MPI_Finalize();
    return 0;
}
