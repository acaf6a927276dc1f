// The ranks sum up their counters while they go on.
//
// What is wrong: rank 1 uses the array for the sums as scratch memory, before MPI_Wait. Here the sums have arrived by
// then, and are lost; in another run they may come later.
// The fix: scratch memory of its own.
//
// ranks: 3
// mpi: mpich (when the sums arrive differs)
// options: --checksums all
// expect: collective-recv-checksum ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, counters[4] = {1, 2, 3, 4}, sums[4];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Iallreduce(counters, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); //~ collective-recv-checksum
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        sums[2] = -1;
    MPI_Wait(&request, MPI_STATUS_IGNORE); //~ collective-recv-checksum
    MPI_Finalize();
    return 0;
}
