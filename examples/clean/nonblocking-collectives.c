// Nonblocking collective operations, several at a time, completed in another order than started.
//
// Correct: the order of the starts is the same on all ranks, that of the completions need not be; blocking
// operations run in between; point-to-point requests are completed by the same call.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int word = rank == 1 ? 77 : 0, sum = 0, most = 0, prefix = 0, all[4], part = -1, got = -1, result;
    int table[4] = {5, 6, 7, 8}, moved[4], block = 0;
    MPI_Request requests[8];
    MPI_Ibcast(&word, 1, MPI_INT, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Iallgather(&right, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[3]);
    MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* while others are pending */
    MPI_Iscatter(table, 1, MPI_INT, &part, 1, MPI_INT, 2, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[5]);
    MPI_Iscan(&rank, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[6]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[7]);

    if (rank % 2) {
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    } else {
        int index, flag = 0;
        MPI_Wait(&requests[7], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
        MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Testall(8, requests, &flag, MPI_STATUSES_IGNORE);
    }
    MPI_Ialltoall(table, 1, MPI_INT, moved, 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Ireduce_scatter_block(all, &block, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    result = word + sum + most + prefix + all[3] + part + got + moved[0] + block;
    printf("rank %d: %d\n", rank, result);
    MPI_Finalize();
    return 0;
}
