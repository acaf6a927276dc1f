// A sum is to end in the array that holds the parts.
//
// What is wrong: the root gives the array twice.
// The fix: MPI_IN_PLACE.
//
// ranks: 2
// expect: aliased-buffers ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double parts[10] = {0};
    MPI_Reduce(parts, parts, 10, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); //~ aliased-buffers
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
