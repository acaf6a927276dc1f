// Neighbourhood collectives on tori so small that a rank meets itself, or the same neighbour twice.
//
// Correct: a periodic direction of extent one makes a rank its own neighbour on both sides, one of extent two makes
// the other rank both neighbours; at an open end the neighbour is MPI_PROC_NULL, and its block is left alone (MPI 4.1, 8.6).
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, other, wrong = 0, in[6], before, after;
    MPI_Comm torus, line;
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 1}, (int[]){1, 1}, 0, &torus);
    MPI_Comm_rank(torus, &rank);
    other = 1 - rank;
    MPI_Cart_shift(torus, 0, 1, &before, &after);
    wrong += before != other || after != other;
    MPI_Cart_shift(torus, 1, 1, &before, &after);
    wrong += before != rank || after != rank;
    int out = rank + 7;
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, torus);
    for (int i = 0; i < 4; i++)
        wrong += in[i] != (i < 2 ? other : rank) + 7;
    /* the same value both ways: which of the two blocks goes where is then all the same */
    MPI_Datatype pair, types[4];
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 4; i++)
        types[i] = pair;
    int twice[2] = {rank, rank + 20}, got[4][2];
    const MPI_Aint nowhere[4] = {0}, rows[4] = {0, 8, 16, 24};
    MPI_Neighbor_alltoallw(twice, (int[]){1, 1, 1, 1}, nowhere, types, got, (int[]){1, 1, 1, 1}, rows, types, torus);
    for (int i = 0; i < 4; i++)
        wrong += got[i][0] != (i < 2 ? other : rank) || got[i][1] != got[i][0] + 20;
    MPI_Comm_free(&torus);

    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){0}, 0, &line);
    in[0] = in[1] = -1;
    MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, line);
    wrong += in[rank == 0] != other + 7 || in[rank != 0] != -1;
    int both[2] = {10 * rank, 10 * rank + 1};
    MPI_Request request;
    in[0] = in[1] = -1;
    MPI_Ineighbor_alltoall(both, 1, MPI_INT, in, 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += in[rank == 0] != 10 * other + (other == 0) || in[rank != 0] != -1;
    MPI_Comm_free(&line);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return wrong != 0;
}
