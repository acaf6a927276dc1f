// MPI_IN_PLACE in every collective operation that knows it.
//
// Correct: at the root of rooted operations, on all ranks of the others; the arguments of the replaced buffer are
// ignored, whatever they are (MPI 4.1, 6.5 to 6.11).
//
// ranks: 4

#include <mpi.h>
#include <stddef.h>

enum { RANKS = 4 };

static int rank, wrong, data[2 * RANKS];

/* data[i] = base + i */
static void fill(int base)
{
    for (int i = 0; i < 2 * RANKS; i++)
        data[i] = base + i;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int ones[RANKS] = {1, 1, 1, 1}, places[RANKS] = {0, 1, 2, 3}, bytes[RANKS] = {0, 4, 8, 12};
    const MPI_Datatype ints[RANKS] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    const MPI_Comm world = MPI_COMM_WORLD;

    fill(10 * rank);
    MPI_Allreduce(MPI_IN_PLACE, data, 2, MPI_INT, MPI_SUM, world);
    wrong += data[0] != 60 || data[1] != 64;
    fill(10 * rank);
    if (rank == 2)
        MPI_Reduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_MAX, 2, world);
    else
        MPI_Reduce(data, NULL, 1, MPI_INT, MPI_MAX, 2, world);
    wrong += data[0] != (rank == 2 ? 30 : 10 * rank);

    fill(10 * rank);
    if (rank == 1)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, MPI_INT, 1, world);
    else
        MPI_Gather(&data[rank], 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, world);
    for (int i = 0; i < RANKS && rank == 1; i++)
        wrong += data[i] != (i == 1 ? 11 : 11 * i);
    fill(10 * rank);
    if (rank == 3)
        MPI_Scatterv(data, ones, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 3, world);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, data, 1, MPI_INT, 3, world);
    wrong += data[0] != (rank == 3 ? 30 : 30 + rank);

    for (int way = 0; way < 2; way++) {
        fill(10 * rank);
        if (way == 0)
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, MPI_INT, world);
        else
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, ones, places, MPI_INT, world);
        for (int i = 0; i < RANKS; i++)
            wrong += data[i] != 11 * i;
    }
    for (int way = 0; way < 3; way++) {
        fill(10 * rank);
        if (way == 0)
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, MPI_INT, world);
        else if (way == 1)
            MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data, ones, places, MPI_INT, world);
        else
            MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, data, ones, bytes, ints, world);
        for (int i = 0; i < RANKS; i++)
            wrong += data[i] != 10 * i + rank;
    }

    fill(10 * rank);
    MPI_Reduce_scatter(MPI_IN_PLACE, data, (int[]){1, 2, 0, 1}, MPI_INT, MPI_SUM, world);
    wrong += data[0] != (int[]){60, 64, 20, 72}[rank];
    fill(10 * rank);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, world);
    wrong += data[0] != 60 + 4 * rank;
    fill(10 * rank);
    MPI_Scan(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, world);
    wrong += data[0] != 5 * rank * (rank + 1);
    fill(10 * rank);
    MPI_Exscan(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, world);
    wrong += data[0] != 5 * rank * (rank - 1) && rank > 0;
    MPI_Finalize();
    return wrong != 0;
}
