// Collective operations between two groups of different sizes, with MPI_ROOT and MPI_PROC_NULL.
//
// Correct: the data flow from one group to the other; in the group of the root, the root says MPI_ROOT and the others
// MPI_PROC_NULL, whose buffers do not count; counts may differ in both directions (MPI 4.1, 6.2.3).
//
// ranks: 4

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, me, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int lone = rank == 3; /* three ranks face one */
    MPI_Comm side, inter;
    MPI_Comm_split(MPI_COMM_WORLD, lone, 0, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, lone ? 0 : 3, 11, &inter);
    MPI_Comm_rank(side, &me);

    int value[2] = {-1, -1}, all[6] = {0}, sum = -1;
    const int root = lone ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    if (rank == 1)
        value[0] = 41, value[1] = 42;
    MPI_Bcast(root == MPI_PROC_NULL ? NULL : value, root == MPI_PROC_NULL ? 0 : 2, MPI_INT, root, inter);
    wrong += (lone || rank == 1) ? value[1] != 42 : value[1] != -1;

    MPI_Reduce(&rank, rank == 1 ? &sum : NULL, 1, MPI_INT, MPI_SUM, root, inter);
    wrong += rank == 1 && sum != 3;
    /* the three send one integer each, the one sends two */
    int mine[2] = {10 + rank, 20 + rank};
    MPI_Allgather(mine, lone ? 2 : 1, MPI_INT, all, lone ? 1 : 2, MPI_INT, inter);
    wrong += lone ? all[2] != 12 : all[0] != 13 || all[1] != 23;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    wrong += sum != (lone ? 0 + 1 + 2 : 3);
    int parts[3] = {5, 6, 7}, part = -1;
    MPI_Scatter(lone ? parts : NULL, 1, MPI_INT, lone ? NULL : &part, 1, MPI_INT, lone ? MPI_ROOT : 0, inter);
    wrong += !lone && part != 5 + me;
    /* nothing in one direction */
    part = -1;
    const int none[3] = {0}, in_order[3] = {0, 1, 2}, ones[3] = {1, 1, 1};
    MPI_Alltoallv(lone ? parts : NULL, lone ? ones : none, in_order, MPI_INT, lone ? NULL : &part,
                  lone ? none : ones, none, MPI_INT, inter);
    wrong += !lone && part != 5 + me;
    MPI_Request request;
    MPI_Ibarrier(inter, &request);
    MPI_Barrier(side);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
    MPI_Finalize();
    return wrong != 0;
}
