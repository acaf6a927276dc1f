// Rank 0 puts flags together.
//
// Correct: MPI_BOR is defined for integers.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    long long mine = 1, all = 0;
    if (rank == 0)
        MPI_Reduce_local(&mine, &all, 1, MPI_LONG_LONG, MPI_BOR);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
