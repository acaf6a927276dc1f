// Operations of many kinds and sizes, whose buffers are touched at random moments; the program says which touches are wrong.
// For tests/tests/precise.rs. Arguments: the seed, and the number of rounds.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PAGES = 80 };

static _Alignas(4096) char fixed_out[PAGES * PAGE], fixed_in[PAGES * PAGE];
static volatile char sink;
static long wrong_stores, wrong_loads;

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

static void load(volatile char *at, int is_wrong)
{
    if (is_wrong)
        sink = *at; /* a wrong load */
    else
        sink = *at; /* a right load */
}

int main(int argc, char **argv)
{
    unsigned shared = argc > 1 ? (unsigned)atoi(argv[1]) : 1, own;
    int rounds = argc > 2 ? atoi(argv[2]) : 40, rank;
    MPI_Request requests[2];
    MPI_Win win;
    char *window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = shared * 7 + (unsigned)rank;
    char *heap_out = malloc(PAGES * PAGE), *heap_in = malloc(PAGES * PAGE);
    memset(heap_out, 1, PAGES * PAGE);
    memset(heap_in, 1, PAGES * PAGE);
    MPI_Win_allocate(2 * PAGES * PAGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < rounds; round++) {
        int is_heap = next(&shared) % 2, kind = (int)(next(&shared) % 6);
        long skip = next(&shared) % PAGE, bytes = 3 * PAGE + next(&shared) * 37 % ((PAGES - 5) * PAGE);
        char *out = (is_heap ? heap_out : fixed_out) + skip, *in = (is_heap ? heap_in : fixed_in) + skip;
        switch (kind) {
        case 0:
            MPI_Irecv(in, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
            break;
        case 1:
            MPI_Recv_init(in, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Send_init(out, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Startall(2, requests);
            break;
        case 2:
            MPI_Ialltoall(out, bytes / 2, MPI_CHAR, in, bytes / 2, MPI_CHAR, MPI_COMM_WORLD, &requests[0]);
            bytes = bytes / 2 * 2;
            requests[1] = MPI_REQUEST_NULL;
            break;
        case 3:
            MPI_Rget(in, bytes, MPI_CHAR, 1 - rank, PAGES * PAGE, bytes, MPI_CHAR, win, &requests[0]);
            MPI_Rput(out, bytes, MPI_CHAR, 1 - rank, 0, bytes, MPI_CHAR, win, &requests[1]);
            break;
        case 4:
            MPI_Get(in, bytes, MPI_CHAR, 1 - rank, PAGES * PAGE, bytes, MPI_CHAR, win);
            MPI_Put(out, bytes, MPI_CHAR, 1 - rank, 0, bytes, MPI_CHAR, win);
            requests[0] = requests[1] = MPI_REQUEST_NULL;
            break;
        default:
            MPI_Iallreduce(out, in, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &requests[0]);
            requests[1] = MPI_REQUEST_NULL;
        }
        // Whole pages of the buffers: from their second page to the last but one.
        long place = (2 + next(&own) % (unsigned)(bytes / PAGE - 2)) * PAGE - skip % PAGE + next(&own) % 100;
        place = place < 0 || place >= bytes - PAGE ? PAGE : place;
        for (int touch = 0; touch < 6; touch++) {
            char *beside = next(&own) % 2 ? in + bytes + next(&own) % 100 : out + bytes + next(&own) % 100;
            store(beside, 0);
            load(beside, 0);
            load(out + next(&own) % (unsigned)bytes, 0);
        }
        switch (next(&own) % 4) {
        case 0:
            store(out + place, 1);
            wrong_stores++;
            break;
        case 1:
            store(in + place, 1);
            wrong_stores++;
            break;
        case 2:
            // Loads from buffers of collective operations are not looked at.
            if (kind < 2 || kind == 3 || kind == 4) {
                load(in + place, 1);
                wrong_loads++;
            }
            break;
        default:
            break;
        }
        if (next(&own) % 2) {
            int flag;
            MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (kind == 3 || kind == 4)
            MPI_Win_flush(1 - rank, win);
        store(out + next(&own) % (unsigned)bytes, 0);
        store(in + next(&own) % (unsigned)bytes, 0);
        if (kind == 1) {
            if (requests[0] != MPI_REQUEST_NULL)
                MPI_Request_free(&requests[0]);
            if (requests[1] != MPI_REQUEST_NULL)
                MPI_Request_free(&requests[1]);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    long mine[2] = {wrong_stores, wrong_loads}, all[2];
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld %ld\n", all[0], all[1]);
    free(heap_in);
    free(heap_out);
    MPI_Finalize();
    return 0;
}
