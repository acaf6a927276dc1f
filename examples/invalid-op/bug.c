// Rank 0 puts flags together, as a bit mask in a double.
//
// What is wrong: MPI_BOR is defined for integers and bytes, not for floating-point numbers.
// The fix: the flags are integers.
//
// ranks: 2
// expect: invalid-op ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    long long mine = 1, all = 0;
    if (rank == 0)
        MPI_Reduce_local(&mine, &all, 1, MPI_DOUBLE, MPI_BOR); //~ invalid-op
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
