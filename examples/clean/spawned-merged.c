// Two programs are started by one MPI_Comm_spawn_multiple and merged with those who spawned them: collectives,
// messages and parts of the merged communicator reach over both worlds.
//
// Correct: all pass through the same calls on each communicator; the order of the merged groups is told by `high`.
//
// ranks: 2
// mpi: openmpi (Debian's MPICH 4.0 cannot spawn)

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm between, all;
    MPI_Comm_get_parent(&between);
    int spawned = between != MPI_COMM_NULL;
    if (!spawned) {
        char *commands[] = {argv[0], argv[0]};
        int counts[] = {1, 2};
        MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 1, MPI_COMM_WORLD, &between,
                                MPI_ERRCODES_IGNORE);
    }
    MPI_Intercomm_merge(between, spawned, &all);

    int rank, size, sum = 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    if (sum != size * (size - 1) / 2)
        printf("rank %d: sum %d\n", rank, sum);

    /* a ring over both worlds */
    int left = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &left, 1, MPI_INT, (rank + size - 1) % size, 5, all,
                 MPI_STATUS_IGNORE);
    if (left != (rank + size - 1) % size)
        printf("rank %d: got %d\n", rank, left);

    /* even and odd ranks; each part has processes of both worlds */
    MPI_Comm part, copy;
    MPI_Comm_split(all, rank % 2, -rank, &part);
    MPI_Comm_dup(part, &copy);
    int place, parts;
    MPI_Comm_rank(copy, &place);
    MPI_Comm_size(copy, &parts);
    double value = rank, got[8] = {0};
    MPI_Gather(&value, 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, parts - 1, copy);
    if (place > 0)
        MPI_Send(&value, 1, MPI_DOUBLE, 0, place, part);
    else
        for (int i = 1; i < parts; i++)
            MPI_Recv(got, 1, MPI_DOUBLE, i, i, part, MPI_STATUS_IGNORE);

    /* the two parts talk to each other */
    MPI_Comm bridge;
    MPI_Intercomm_create(part, 0, all, rank % 2 ? size - 1 - (size - 1) % 2 : size - 1 - size % 2, 77, &bridge);
    int remote;
    MPI_Comm_remote_size(bridge, &remote);
    int number = rank, other = -1;
    if (place < remote)
        MPI_Sendrecv(&number, 1, MPI_INT, place, 1, &other, 1, MPI_INT, place, 1, bridge, MPI_STATUS_IGNORE);
    MPI_Barrier(bridge);

    /* the old worlds again, and the whole of it by a group */
    MPI_Comm own, again;
    MPI_Comm_split(all, spawned, rank, &own);
    MPI_Barrier(own);
    MPI_Group group;
    MPI_Comm_group(all, &group);
    MPI_Comm_create(all, group, &again);
    MPI_Bcast(&number, 1, MPI_INT, size - 1, again);
    MPI_Group_free(&group);

    MPI_Comm_free(&again);
    MPI_Comm_free(&own);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return 0;
}
