// Persistent collective operations: several on one communicator, with shared send buffers, some never started.
//
// Correct: they are made and started in the same order on all ranks; their buffers are the program's own between the
// rounds; a request that was never started is just freed (MPI 4.1, 6.13).
//
// ranks: 4
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, mine[4], sum, all[4], prefix, from_root, alone;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request requests[6];
    MPI_Allreduce_init(mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Alltoall_init(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Scan_init(mine, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Bcast_init(&from_root, 1, MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[4]);
    MPI_Alltoall_init(all, 1, MPI_INT, &alone, 1, MPI_INT, MPI_COMM_SELF, MPI_INFO_NULL, &requests[5]);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            mine[i] = rank + round + 10 * i;
        from_root = rank == 2 ? 50 + round : -1;
        MPI_Startall(5, requests);
        MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        wrong += sum != 6 + 4 * round || from_root != 50 + round;
        wrong += prefix != rank * (rank + 1) / 2 + round * (rank + 1);
        for (int i = 0; i < 4; i++)
            wrong += all[i] != i + round + 10 * rank;
        MPI_Start(&requests[3]); /* one of them alone */
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 6; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return wrong != 0;
}
