// Two groups of ranks talk through an inter-communicator: point-to-point, collective, merged.
//
// Correct: ranks and roots count in the remote group; MPI_ROOT and MPI_PROC_NULL stand for the root in
// its own group and for those beside it; the groups differ in size.
//
// ranks: 5

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int world_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);

    int second = world_rank >= 2; /* ranks 0, 1 and ranks 2, 3, 4 */
    MPI_Comm group, between, merged;
    MPI_Comm_split(MPI_COMM_WORLD, second, world_rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, second ? 0 : 2, 99, &between);
    int rank, remote;
    MPI_Comm_rank(group, &rank);
    MPI_Comm_remote_size(between, &remote);

    /* every rank of the smaller group sends to its namesake in the other one */
    int value = 100 * second + rank, got = -1;
    if (!second)
        MPI_Send(&value, 1, MPI_INT, rank, 0, between);
    else if (rank < remote)
        MPI_Recv(&got, 1, MPI_INT, rank, 0, between, MPI_STATUS_IGNORE);

    /* broadcast from rank 1 of the first group to all of the second */
    int word = second ? 0 : 4711;
    MPI_Bcast(&word, 1, MPI_INT, second ? 1 : (rank == 1 ? MPI_ROOT : MPI_PROC_NULL), between);

    int sum = 0, all[3] = {0};
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, between);
    MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, between);
    MPI_Barrier(between);

    int merged_rank;
    MPI_Intercomm_merge(between, second, &merged);
    MPI_Comm_rank(merged, &merged_rank);
    MPI_Bcast(&value, 1, MPI_INT, 4, merged);

    printf("rank %d: got %d, word %d, sum %d, last %d, merged %d, value %d\n", world_rank, got, word,
           sum, all[remote - 1], merged_rank, value);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
