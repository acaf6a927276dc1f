// A halo exchange in a row of ranks that forgets that the last one has no neighbour at its right.
//
// What is wrong: the last rank sends to rank 3 of a communicator with the ranks 0 to 2.
// The fix: the neighbours at the ends are MPI_PROC_NULL.
//
// ranks: 3
// expect: invalid-rank ranks 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    double cells[10] = {0};
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank + 1;
    if (rank > 0)
        MPI_Recv(&cells[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&cells[8], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); //~ invalid-rank
    MPI_Finalize();
    return 0;
}
