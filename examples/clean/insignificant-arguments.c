// Nonsense in the arguments that do not count.
//
// Correct: receive arguments are significant only at the root of a gather, send arguments only at that of a scatter,
// and the receive buffer only at that of a reduction (MPI 4.1, 6.5, 6.6 and 6.9.1); counts of zero need no buffer.
//
// ranks: 4

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, in[8] = {0}, out[2], sum = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int root = 1, counts[4] = {0, 2, 0, 1}, places[4] = {-77, 0, 1 << 20, 2};
    const int mine = counts[rank];
    out[0] = out[1] = 5 + rank;
    if (rank == root) {
        MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, root, MPI_COMM_WORLD);
        wrong += in[0] != 5 || in[3] != 8;
        MPI_Gatherv(out, mine, MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD);
        wrong += in[0] != 6 || in[1] != 6 || in[2] != 8;
        MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatterv(in, counts, places, MPI_INT, out, mine, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        wrong += sum != 6;
    } else {
        int *none = NULL;
        MPI_Gather(out, 1, MPI_INT, none, -3, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        MPI_Gatherv(mine ? out : none, mine, MPI_INT, none, none, none, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        MPI_Scatter(none, -3, MPI_DATATYPE_NULL, out, 1, MPI_INT, root, MPI_COMM_WORLD);
        wrong += out[0] != (int[]){6, 6, 8, 8}[rank];
        MPI_Scatterv(none, none, none, MPI_DATATYPE_NULL, mine ? out : none, mine, MPI_INT, root, MPI_COMM_WORLD);
        wrong += rank == 3 && out[0] != 8;
        MPI_Reduce(&rank, none, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    }
    /* who neither sends nor receives anything has no buffers at all */
    const int nothing[4] = {0}, no_more[4] = {0};
    int shared[2] = {0};
    MPI_Allgatherv(rank == 2 ? out : NULL, rank == 2 ? 2 : 0, MPI_INT, shared, (int[]){0, 0, 2, 0}, nothing, MPI_INT,
                   MPI_COMM_WORLD);
    wrong += shared[0] != 8 || shared[1] != 7;
    MPI_Alltoallv(NULL, nothing, nothing, MPI_INT, NULL, no_more, no_more, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(NULL, 0, MPI_DOUBLE, root, MPI_COMM_WORLD);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong != 0;
}
