// Eight ranks in a ring: each does one operation with the next rank and another one with the rank before it, in
// communicators of two. In every operation the one rank needs something of the other: the root of a gather needs all
// others, the others of a broadcast need the root, a scan needs the ranks before it, a barrier between two groups needs
// the other group.
//
// What is wrong: all begin with the operation in which they need the next rank, which has not begun it: once round the
// ring.
// The fix: rank 7 begins with the other one.
//
// ranks: 8
// expect: real-deadlock ranks 0,1,2,3,4,5,6,7

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 8 };

static int value, sum, all[2];

/* Of the two ranks of `pair` rank 1 needs rank 0; `both` has one of them on either side. */
static void operation(int kind, MPI_Comm pair, MPI_Comm both, int me)
{
    switch (kind) {
    case 0:
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 1, pair); //~ real-deadlock
        break;
    case 1:
        MPI_Bcast(&value, 1, MPI_INT, 0, pair); //~ real-deadlock
        break;
    case 2:
        MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, pair); //~ real-deadlock
        break;
    case 3:
        MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 1, pair); //~ real-deadlock
        break;
    case 4:
        MPI_Scatter(all, 1, MPI_INT, &sum, 1, MPI_INT, 0, pair); //~ real-deadlock
        break;
    case 5:
        MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, pair); //~ real-deadlock
        break;
    case 6:
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, me == 1 ? MPI_ROOT : 0, both); //~ real-deadlock
        break;
    default:
        MPI_Barrier(both); //~ real-deadlock
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank;
    /* pairs that begin with an even rank, and those that begin with an odd one */
    MPI_Comm pairs[2], both[2], own;
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    for (int odd = 0; odd < 2; odd++) {
        int first = rank % 2 == odd;
        int begin = first ? rank : (rank + RANKS - 1) % RANKS;
        MPI_Comm_split(MPI_COMM_WORLD, begin, first, &pairs[odd]);
        MPI_Intercomm_create(own, 0, pairs[odd], first ? 0 : 1, 1, &both[odd]);
    }
    const int next = rank % 2, before = 1 - next;
    operation(rank, pairs[next], both[next], 1);
    operation((rank + RANKS - 1) % RANKS, pairs[before], both[before], 0);
    if (rank == 0)
        printf("the sum of ranks 0 and 1 is %d\n", sum);
    for (int odd = 0; odd < 2; odd++) {
        MPI_Comm_free(&both[odd]);
        MPI_Comm_free(&pairs[odd]);
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
