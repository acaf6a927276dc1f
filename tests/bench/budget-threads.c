/*
 * Calls of two threads, counted by callgrind: tests/tests/budgets.rs, as budget.c.
 *
 *   valgrind --tool=callgrind --instr-atstart=no --fair-sched=yes budget-threads CALLS
 *
 *   threads-apart   each sends to itself, by a communicator and in memory of its own: MPI_Irecv, MPI_Isend, MPI_Waitall
 *   handed-over     one begins the operations, the other one completes them, in turns
 *
 * CALLS are those of both threads. Allocations are counted as in budget.c. Threads that really meet take other ways each time.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

/* Where it is preloaded. */
extern long allocations(void) __attribute__((weak));

static MPI_Comm comms[2];
static MPI_Request made[2], own[2][2];
/* For each thread what it sends and what it receives. Addresses that change from run to run would change the counts. */
static char memory[2][2][4096];
static pthread_barrier_t turn;

static void begin(int me, char *out, char *in, MPI_Request *requests)
{
    MPI_Irecv(in, 8, MPI_BYTE, 0, 1, comms[me], &requests[0]);
    MPI_Isend(out, 8, MPI_BYTE, 0, 1, comms[me], &requests[1]);
}

static void apart(int me, char *out, char *in, long calls)
{
    MPI_Request *requests = own[me];
    for (long i = 0; i < calls / 6; i++) {
        begin(me, out, in, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void handed_over(int me, char *out, char *in, long calls)
{
    for (long i = 0; i < calls / 3; i++) {
        if (me == 0)
            begin(me, out, in, made);
        pthread_barrier_wait(&turn);
        if (me == 1)
            MPI_Waitall(2, made, MPI_STATUSES_IGNORE);
        pthread_barrier_wait(&turn);
    }
}

static void (*pattern)(int, char *, char *, long);
static long pattern_calls;

static void *second(void *unused)
{
    pattern(1, memory[1][0], memory[1][1], pattern_calls);
    return unused;
}

static const struct {
    const char *name;
    void (*run)(int, char *, char *, long);
} kinds[] = {{"threads-apart", apart}, {"handed-over", handed_over}};

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 0;
    int level;
    if (calls < 6) {
        fprintf(stderr, "usage: budget-threads CALLS\n");
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE)
        return 3;
    pthread_barrier_init(&turn, NULL, 2);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    CALLGRIND_START_INSTRUMENTATION;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (int times = 1; times <= 2; times++) {
            pthread_t thread;
            char name[64];
            snprintf(name, sizeof name, "%s %d", kinds[kind].name, times);
            pattern_calls = times * calls;
            pattern = kinds[kind].run;
            long before = allocations ? allocations() : 0;
            CALLGRIND_ZERO_STATS;
            pthread_create(&thread, NULL, second, NULL);
            pattern(0, memory[0][0], memory[0][1], pattern_calls);
            pthread_join(thread, NULL);
            CALLGRIND_DUMP_STATS_AT(name);
            if (allocations)
                printf("%s: %ld\n", name, allocations() - before);
        }
    }
    CALLGRIND_STOP_INSTRUMENTATION;
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
