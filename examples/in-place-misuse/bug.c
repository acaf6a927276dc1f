// A sum is to end in the array that holds the parts.
//
// What is wrong: all ranks say MPI_IN_PLACE, but only the root has a receive buffer in which its part could be.
// The fix: the other ranks give their array as the send buffer.
//
// ranks: 2
// expect: in-place-misuse ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    // So that rank 1, which may crash, does not take rank 0 with it while that starts.
    MPI_Barrier(MPI_COMM_WORLD);
    double parts[10] = {0};
    const void *send = MPI_IN_PLACE;
    MPI_Reduce(send, parts, 10, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); //~ in-place-misuse
    MPI_Finalize();
    return 0;
}
