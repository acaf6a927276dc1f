// Rank 1 makes a communicator of some workers, all but rank 0.
//
// Correct: the ranks are those of workers.
//
// ranks: 2

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, members[1] = {1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm workers, some;
    MPI_Group world, group;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &workers);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, members, &group);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        MPI_Comm_create(workers, group, &some);
        if (some != MPI_COMM_NULL)
            MPI_Comm_free(&some);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_free(&workers);
    MPI_Finalize();
    return 0;
}
