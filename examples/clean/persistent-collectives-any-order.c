// Persistent collective operations are made in the same order by all ranks, and started in another order by each, before
// and behind other collective operations.
//
// Correct: they match by the order in which they were made, whatever the order of their starts (MPI 4.1, 6.13).
//
// ranks: 3
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>
#include <stdio.h>

enum { KINDS = 4, ROUNDS = 6 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sum, told[8], greatest[2], mine[2] = {rank, -rank}, all[3];
    MPI_Request requests[KINDS];
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(told, 8, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Allreduce_init(mine, greatest, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Allgather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 8; i++)
            told[i] = rank == 0 ? round * 8 + i : -1;
        // Each rank begins with another one; the last rank goes through them from behind.
        for (int k = 0; k < KINDS; k++) {
            int which = (rank + round + k) % KINDS;
            if (rank == size - 1)
                which = KINDS - 1 - which;
            MPI_Start(&requests[which]);
        }
        MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
        wrong |= sum != size * (size - 1) / 2 || told[7] != round * 8 + 7 || greatest[0] != size - 1 || all[2] != 2;
    }
    for (int k = 0; k < KINDS; k++)
        MPI_Request_free(&requests[k]);
    printf("rank %d: %s\n", rank, wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong;
}
