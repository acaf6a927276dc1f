// Pairs of ranks share a block of the grid; the lower rank of each pair tells the pair its block.
//
// What is wrong: the broadcast is meant for the pair, but it runs over all ranks. Ranks 0 and 1 name
// rank 0 as the root, ranks 2 and 3 name rank 2.
// The fix: a communicator for each pair, in which the lower rank is rank 0.
//
// ranks: 4
// expect: wrong-root ranks 0,1,2,3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int leader = rank / 2 * 2;
    int block = rank == leader ? 10 * (1 + rank / 2) : 0;
    MPI_Bcast(&block, 1, MPI_INT, leader, MPI_COMM_WORLD); //~ wrong-root

    printf("rank %d works on block %d\n", rank, block);
    MPI_Finalize();
    return 0;
}
