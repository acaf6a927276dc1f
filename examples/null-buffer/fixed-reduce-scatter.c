// Rank 0 alone gets the sums.
//
// Correct: a rank that no sum is wanted of has a count of zero, and needs no memory.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, values[2] = {1, 2}, sums[2] = {0, 0}, counts[2] = {2, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce_scatter(values, rank == 1 ? NULL : sums, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
