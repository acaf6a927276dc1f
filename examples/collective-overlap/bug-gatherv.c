// Rank 0 gathers parts of different lengths into one array.
//
// What is wrong: the displacements are those of the part before, so that the parts of ranks 1 and 2 share an element.
// The fix: a displacement is the sum of the counts before it.
//
// ranks: 3
// expect: collective-overlap ranks 0

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, part[3] = {0, 0, 0}, all[8];
    int counts[3] = {2, 3, 2}, displacements[3] = {0, 2, 4};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gatherv(part, counts[rank], MPI_INT, all, counts, displacements, MPI_INT, 0, //~ collective-overlap
                MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
