// Eleven cells of a row are cut into two parts; rank 0 gathers them again.
//
// Fixed: the receive counts come from the same function as the send counts.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { CELLS = 11, RANKS = 2 };

static int part_of(int rank)
{
    return CELLS / RANKS + (rank == RANKS - 1 ? CELLS % RANKS : 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int part[CELLS], row[CELLS] = {0};
    for (int i = 0; i < part_of(rank); i++)
        part[i] = 100 * rank + i;

    int counts[RANKS], starts[RANKS];
    for (int r = 0; r < RANKS; r++) {
        counts[r] = part_of(r);
        starts[r] = r * counts[0];
    }
    MPI_Gatherv(part, part_of(rank), MPI_INT, row, counts, starts, MPI_INT, 0,
                MPI_COMM_WORLD);

    long sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += row[i];
    MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 1)
        printf("the cells add up to %ld\n", sum);
    MPI_Finalize();
    return 0;
}
