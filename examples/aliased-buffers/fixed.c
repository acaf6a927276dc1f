// A sum ends in the array that holds the parts.
//
// Correct: MPI_IN_PLACE says so at the root; at the other ranks the receive buffer means nothing.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double parts[10] = {0};
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : parts, parts, 10, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
