// A sum ends in the array of the root that holds its part.
//
// Correct: the root says MPI_IN_PLACE, the other ranks give their array as the send buffer.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    // So that rank 1, which may crash, does not take rank 0 with it while that starts.
    MPI_Barrier(MPI_COMM_WORLD);
    double parts[10] = {0};
    const void *send = rank == 0 ? MPI_IN_PLACE : parts;
    MPI_Reduce(send, parts, 10, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
