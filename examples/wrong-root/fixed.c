// Pairs of ranks share a block of the grid; the lower rank of each pair tells the pair its block.
//
// Fixed: each pair has a communicator of its own, in which its lower rank is rank 0.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int leader = rank / 2 * 2;
    int block = rank == leader ? 10 * (1 + rank / 2) : 0;
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, leader, rank, &pair);
    MPI_Bcast(&block, 1, MPI_INT, 0, pair);
    MPI_Comm_free(&pair);

    printf("rank %d works on block %d\n", rank, block);
    MPI_Finalize();
    return 0;
}
