// Rank 0 reads the input alone, the other ranks share theirs in a communicator of their own.
//
// What is wrong: the root is a rank of the communicator of the call, and that of rank 0 has the rank 0 only.
// The fix: the root is the first rank of each communicator.
//
// ranks: 3
// expect: invalid-root ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm readers;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &readers);
    int steps = 100;
    MPI_Bcast(&steps, 1, MPI_INT, 1, readers); //~ invalid-root
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&readers);
    MPI_Finalize();
    return 0;
}
