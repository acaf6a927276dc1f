// Rank 0 reads the input alone, the other ranks share theirs in a communicator of their own.
//
// Correct: the root is the first rank of each communicator.
//
// ranks: 3

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm readers;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &readers);
    int steps = 100;
    MPI_Bcast(&steps, 1, MPI_INT, 0, readers);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&readers);
    MPI_Finalize();
    return 0;
}
