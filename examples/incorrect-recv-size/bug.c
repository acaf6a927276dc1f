// The rows of a matrix are spread over the ranks, the remainder over the first ones; rank 0 gathers one value of
// each row.
//
// What is wrong: rank 0 rounds the share of every rank up and expects four values of each. Ranks 2 and 3 send
// three; the last place of their share keeps what was there.
// The fix: the receive counts come from the same function as the send counts.
//
// ranks: 4
// expect: incorrect-recv-size ranks 0,2,3

#include <mpi.h>
#include <stdio.h>

enum { ROWS = 14, RANKS = 4, MOST = (ROWS + RANKS - 1) / RANKS };

static int rows_of(int rank)
{
    return ROWS / RANKS + (rank < ROWS % RANKS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double mine[MOST], all[RANKS * MOST] = {0};
    for (int i = 0; i < rows_of(rank); i++)
        mine[i] = 10.0 * rank + i;

    int counts[RANKS], places[RANKS];
    for (int r = 0; r < RANKS; r++) {
        counts[r] = MOST;
        places[r] = r * MOST;
    }
    MPI_Gatherv(mine, rows_of(rank), MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0, //~ incorrect-recv-size
                MPI_COMM_WORLD);

    if (rank == 0) {
        double sum = 0;
        for (int i = 0; i < RANKS * MOST; i++)
            sum += all[i];
        printf("the sum is %g\n", sum);
    }
    MPI_Finalize();
    return 0;
}
