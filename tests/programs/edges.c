// Small buffers among other data of the program, on the heap and in static memory, that are touched while operations are pending;
// the program says how many stores are wrong; loads are not looked at there. For tests/tests/precise.rs. Arguments: the seed, and
// the number of rounds.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 200, MOST = 9000 };

static char fixed[BLOCKS * 700];
static volatile char sink;
static long wrong_stores;

static unsigned next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16 & 0x7fff;
}

static void store(volatile char *at, int is_wrong)
{
    if (is_wrong)
        *at = *at + 1; /* a wrong store */
    else
        *at = *at + 1; /* a right store */
}

static void load(volatile char *at)
{
    sink = *at;
}

int main(int argc, char **argv)
{
    unsigned shared = argc > 1 ? (unsigned)atoi(argv[1]) : 1, own;
    int rounds = argc > 2 ? atoi(argv[2]) : 40, rank;
    char *blocks[BLOCKS], text[64];
    long sizes[BLOCKS];
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = shared * 7 + (unsigned)rank;
    for (int b = 0; b < BLOCKS; b++) {
        sizes[b] = b % 2 ? 40 + next(&shared) % 600 : 40 + next(&shared) % (MOST - 40);
        blocks[b] = b % 4 == 1 ? fixed + b * 700 : malloc((size_t)sizes[b]);
        memset(blocks[b], 1, (size_t)sizes[b]);
    }
    for (int round = 0; round < rounds; round++) {
        int o = (int)(next(&shared) % BLOCKS), i = (int)(next(&shared) % BLOCKS), other;
        if (i == o)
            i = (o + 1) % BLOCKS;
        // Some bytes at both ends of the blocks are not in use.
        int bytes = (int)(sizes[i] < sizes[o] ? sizes[i] : sizes[o]) - 20;
        char *in = blocks[i] + 10, *out = blocks[o] + 10;
        MPI_Irecv(in, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        for (int touch = 0; touch < 4; touch++) {
            do
                other = (int)(next(&own) % BLOCKS);
            while (other == i || other == o);
            store(blocks[other] + next(&own) % (unsigned)sizes[other], 0);
            store(next(&own) % 2 ? in - 1 - next(&own) % 10 : in + bytes + next(&own) % 10, 0);
            load(next(&own) % 2 ? out - 1 - next(&own) % 10 : out + bytes + next(&own) % 10);
            load(out + next(&own) % (unsigned)bytes);
        }
        // The allocator has its data between the blocks, and the C library uses it.
        if (next(&own) % 4 == 0) {
            free(malloc(next(&own) % 3000));
            snprintf(text, sizeof text, "%g", (double)next(&own));
        }
        switch (next(&own) % 4) {
        case 0:
            store(out + next(&own) % (unsigned)bytes, 1);
            wrong_stores++;
            break;
        case 1:
            store(in + next(&own) % (unsigned)bytes, 1);
            wrong_stores++;
            break;
        default:
            break;
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        store(out + next(&own) % (unsigned)bytes, 0);
        store(in + next(&own) % (unsigned)bytes, 0);
    }
    long mine[2] = {wrong_stores, 0}, all[2];
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld %ld\n", all[0], all[1]);
    for (int b = 0; b < BLOCKS; b++)
        if (b % 4 != 1)
            free(blocks[b]);
    MPI_Finalize();
    return 0;
}
