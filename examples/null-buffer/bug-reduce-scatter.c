// Each rank gets one of the sums.
//
// What is wrong: rank 1 has no memory for its sum.
// The fix: a rank that no sum is wanted of has a count of zero.
//
// ranks: 2
// expect: null-buffer ranks 1

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, values[2] = {1, 2}, sum = 0, counts[2] = {1, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce_scatter(values, rank == 1 ? NULL : &sum, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD); //~ null-buffer
    MPI_Finalize();
    return 0;
}
