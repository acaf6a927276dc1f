// The group of the workers may have no member.
//
// Correct: MPI_GROUP_EMPTY is a group of size 0.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Group workers = MPI_GROUP_EMPTY;
    int size = 0;
    if (rank == 1)
        MPI_Group_size(workers, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
