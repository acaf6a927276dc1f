// The price of --heap: docs/benchmarks.md. One rank. Nanoseconds of processor time for malloc with free, and for an MPI call
// with a buffer on the heap, on the stack and among static variables: the best of some repetitions.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 7, BLOCKS = 100000, ROUNDS = 20000, KEPT = 1000, ROOM = 1024 };

static void *volatile kept[KEPT];
static char apart[ROOM];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double least(double some, double other)
{
    return some < other ? some : other;
}

// A block is freed and allocated anew, while `others` live.
static double blocks(size_t bytes, int others)
{
    double best = 1e18;
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        double begin = now();
        for (int i = 0; i < BLOCKS; i++) {
            free(kept[i % others]);
            kept[i % others] = malloc(bytes);
        }
        best = least(best, (now() - begin) / BLOCKS);
    }
    for (int i = 0; i < others; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
    return best;
}

// A call of MPI_Irecv, MPI_Isend and MPI_Waitall with 8 bytes.
static double calls(char *room)
{
    double best = 1e18;
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        double begin = now();
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Request requests[2];
            MPI_Irecv(room + ROOM / 2, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
            MPI_Isend(room, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        best = least(best, (now() - begin) / ROUNDS / 3);
    }
    return best;
}

int main(int argc, char **argv)
{
    char on_stack[ROOM] = {0}, *block;
    MPI_Init(&argc, &argv);
    if (!(block = calloc(1, ROOM)))
        MPI_Abort(MPI_COMM_WORLD, 1);
    printf("malloc and free: 64 bytes %.1f ns, of %d blocks %.1f, 64 KiB %.1f, 1 MiB %.1f\n", blocks(64, 1), KEPT,
           blocks(64, KEPT), blocks(1 << 16, 1), blocks(1 << 20, 1));
    printf("a call: heap %.1f ns, stack %.1f, static %.1f\n", calls(block), calls(on_stack), calls(apart));
    free(block);
    MPI_Finalize();
    return 0;
}
