// Calls of MPI_Comm_rank by 100,000 different stacks, all of them so many times over: 100 places, in a function that is
// called from 100 places, in one that is called from 10. Says how long a call took the first time and the other times, in
// nanoseconds of processor time.
// Usage: sites ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TEN(x) x x x x x x x x x x

static volatile int rank;

__attribute__((noinline)) static void inner(void)
{
    int r;
    TEN(TEN(MPI_Comm_rank(MPI_COMM_WORLD, &r); rank = r;))
}

__attribute__((noinline)) static void middle(void)
{
    TEN(TEN(inner(); rank = 0;))
}

__attribute__((noinline)) static void outer(void)
{
    TEN(middle(); rank = 0;)
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2;
    MPI_Init(&argc, &argv);
    double start = now();
    outer();
    double first = (now() - start) / 1e5;
    start = now();
    for (int round = 1; round < rounds; round++)
        outer();
    printf("%.0f %.0f\n", first, rounds > 1 ? (now() - start) / 1e5 / (rounds - 1) : 0);
    MPI_Finalize();
    return 0;
}
