// Halo exchange on a grid that is not periodic. For the neighbours that are not there the tables of counts and
// displacements name the inner cells, all of them, to be sent and received.
//
// Correct: beyond the border the neighbour is MPI_PROC_NULL; the block for it is neither read nor written, whatever its
// count and displacement (MPI 4.1, 8.6). What overlaps is never touched.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 6 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0, dims[1] = {0}, periods[1] = {0};
    MPI_Comm line;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 1, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    MPI_Comm_rank(line, &rank);
    int first = rank == 0, last = rank == size - 1;

    int *cells = malloc((N + 2) * sizeof *cells);
    for (int i = 0; i < N + 2; i++)
        cells[i] = 100 * rank + i;

    /* one cell for each neighbour, and everything for nobody */
    int counts[2] = {first ? N : 1, last ? N : 1};
    int from[2] = {1, last ? 1 : N}, to[2] = {first ? 1 : 0, last ? 1 : N + 1};
    MPI_Neighbor_alltoallv(cells, counts, from, MPI_INT, cells, counts, to, MPI_INT, line);
    wrong += !first && cells[0] != 100 * (rank - 1) + N;
    wrong += !last && cells[N + 1] != 100 * (rank + 1) + 1;

    /* the same, in bytes and with types of their own */
    for (int i = 0; i < N + 2; i++)
        cells[i] = 1000 * rank + i;
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Aint sends[2], receives[2];
    for (int side = 0; side < 2; side++) {
        sends[side] = from[side] * (MPI_Aint)sizeof *cells;
        receives[side] = to[side] * (MPI_Aint)sizeof *cells;
    }
    MPI_Request request;
    MPI_Neighbor_alltoallw(cells, counts, sends, types, cells, counts, receives, types, line);
    wrong += !first && cells[0] != 1000 * (rank - 1) + N;
    wrong += !last && cells[N + 1] != 1000 * (rank + 1) + 1;
    cells[0] = cells[N + 1] = -1;
    MPI_Ineighbor_alltoallw(cells, counts, sends, types, cells, counts, receives, types, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += !first && cells[0] != 1000 * (rank - 1) + N;
    wrong += !last && cells[N + 1] != 1000 * (rank + 1) + 1;

    /* everybody's cells, gathered from both sides */
    int both[2 * N], amounts[2] = {N, N}, places[2] = {first ? N : 0, N};
    MPI_Neighbor_allgatherv(cells + 1, N, MPI_INT, both, amounts, places, MPI_INT, line);
    wrong += !first && both[0] != 1000 * (rank - 1) + 1;

    printf("rank %d: %d wrong\n", rank, wrong);
    free(cells);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return wrong != 0;
}
