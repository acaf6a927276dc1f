/*
 * threads: short MPI call patterns of several threads (MPI_THREAD_MULTIPLE), for measuring what an interposed tool costs.
 *
 *   threads FORM THREADS [-n iterations] [-r repetitions]
 *
 *   apart   1 rank    each thread sends to itself by a communicator of its own: MPI_Irecv, MPI_Isend, MPI_Waitall.
 *                     Threads have nothing in common but the library.
 *   meet    2 ranks   thread i of a rank sends to thread i of the other one and receives from it, all of them by
 *                     MPI_COMM_WORLD: MPI_Isend, MPI_Irecv, MPI_Waitall.
 *
 * Buffers are from malloc: those of the first thread from the main heap, the others from arenas of their own.
 *
 * Threads start together; the first repetition is not counted. Rank 0 prints one JSON line, with the names of mpibench.c:
 *   calls        MPI calls of rank 0 in one repetition, of all its threads
 *   calls_total  MPI calls of rank 0 in the whole run
 *   ns_q10, ns_med    nanoseconds per call of a thread: tenth percentile and median of the repetitions
 *   cpu_min, cpu_med, cpu_mean  CPU time of all ranks in nanoseconds per call of all ranks: what the program asks of the
 *                machine, waiting in the library included
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REPS = 1001, MAX_THREADS = 64, CALLS = 3, BYTES = 8 };

typedef struct {
    int number;
    MPI_Comm comm;
    pthread_t thread;
} Own;

static int rank, size, threads, reps = 7, apart;
static long iters = 2000;
static Own own[MAX_THREADS];
static pthread_barrier_t together;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void repetition(Own *me, char *out, char *in)
{
    int peer = apart ? 0 : 1 - rank;
    MPI_Request q[2];
    for (long i = 0; i < iters; i++) {
        MPI_Irecv(in, BYTES, MPI_BYTE, peer, me->number, me->comm, &q[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, peer, me->number, me->comm, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
}

static void *work(void *arg)
{
    Own *me = arg;
    char *out = calloc(64, 1), *in = calloc(64, 1);
    for (int r = -1; r < reps; r++) {
        pthread_barrier_wait(&together); /* the first thread has begun to measure */
        repetition(me, out, in);
        pthread_barrier_wait(&together);
    }
    free(out);
    free(in);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int arguments(int argc, char **argv)
{
    if (argc < 3 || (strcmp(argv[1], "apart") && strcmp(argv[1], "meet")))
        return 0;
    apart = !strcmp(argv[1], "apart");
    threads = atoi(argv[2]);
    for (int i = 3; i + 1 < argc; i += 2) {
        long v = atol(argv[i + 1]);
        if (!strcmp(argv[i], "-n"))
            iters = v;
        else if (!strcmp(argv[i], "-r"))
            reps = v < MAX_REPS ? (int)v : MAX_REPS;
    }
    return threads > 0 && threads <= MAX_THREADS && iters > 0 && reps > 0 && size == (apart ? 1 : 2);
}

static void say(double *t, double *cpu)
{
    double each = (double)CALLS * (double)iters, all = each * threads, sum = 0.0;
    qsort(t, (size_t)reps, sizeof *t, by_value);
    qsort(cpu, (size_t)reps, sizeof *cpu, by_value);
    for (int i = 0; i < reps; i++)
        sum += cpu[i];
    printf("{\"mode\":\"%s\",\"threads\":%d,\"ranks\":%d,\"calls\":%.0f,\"calls_total\":%.0f,\"ns_q10\":%.2f,"
           "\"ns_med\":%.2f,\"cpu_min\":%.2f,\"cpu_med\":%.2f,\"cpu_mean\":%.2f}\n",
           apart ? "apart" : "meet", threads, size, all, all * (reps + 1), 1e9 * t[reps / 10] / each,
           1e9 * t[reps / 2] / each, 1e9 * cpu[0] / all / size, 1e9 * cpu[reps / 2] / all / size, 1e9 * sum / reps / all / size);
}

int main(int argc, char **argv)
{
    int level;
    static double t[MAX_REPS], cpu[MAX_REPS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (level != MPI_THREAD_MULTIPLE || !arguments(argc, argv)) {
        fprintf(stderr, "usage: threads apart|meet THREADS [-n iterations] [-r repetitions], one rank or two, with "
                        "MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pthread_barrier_init(&together, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        own[i].number = i;
        own[i].comm = MPI_COMM_WORLD;
        if (apart)
            MPI_Comm_dup(MPI_COMM_SELF, &own[i].comm);
        pthread_create(&own[i].thread, NULL, work, &own[i]);
    }
    for (int r = -1; r < reps; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double used = now(CLOCK_PROCESS_CPUTIME_ID), mine = now(CLOCK_MONOTONIC), worst, all;
        pthread_barrier_wait(&together);
        pthread_barrier_wait(&together);
        mine = now(CLOCK_MONOTONIC) - mine;
        used = now(CLOCK_PROCESS_CPUTIME_ID) - used;
        MPI_Reduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        MPI_Reduce(&used, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (r >= 0) {
            t[r] = worst;
            cpu[r] = all;
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(own[i].thread, NULL);
        if (apart)
            MPI_Comm_free(&own[i].comm);
    }
    if (rank == 0)
        say(t, cpu);
    MPI_Finalize();
    return 0;
}
