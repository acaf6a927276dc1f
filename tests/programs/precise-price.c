// The price of an operation whose buffer is watched (--precise), and of an access beside it: docs/benchmarks.md. One rank.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 2000, MOST = 1 << 20 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

// Microseconds of a receive from nobody that is cancelled, with so many stores at a place.
static double price(char *buffer, int bytes, volatile char *beside, int stores)
{
    double begin = now();
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
        for (int i = 0; i < stores; i++)
            *beside = (char)i;
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return (now() - begin) / ROUNDS;
}

int main(int argc, char **argv)
{
    char on_stack[32], *block;

    MPI_Init(&argc, &argv);
    if (posix_memalign((void **)&block, 4096, MOST))
        return 1;
    for (int i = 0; i < MOST; i += 4096)
        block[i] = 1;
    price(block, 100, block, 0);
    printf("stack, 32 bytes: %.2f us\n", price(on_stack, 32, block, 0));
    printf("heap, 800 bytes: %.2f us\n", price(block + 1000, 800, block, 0));
    printf("heap, 64 KiB: %.2f us\n", price(block, 1 << 16, block, 0));
    printf("heap, 1 MiB: %.2f us\n", price(block, MOST, block, 0));
    printf("heap, 800 bytes, 10 stores beside it: %.2f us\n", price(block + 1000, 800, block, 10));
    free(block);
    MPI_Finalize();
    return 0;
}
