// The group of the workers is asked for before it is made.
//
// What is wrong: the group is still MPI_GROUP_NULL, which is not the same as the empty group.
// The fix: it begins as MPI_GROUP_EMPTY.
//
// ranks: 2
// expect: invalid-group ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Group workers = MPI_GROUP_NULL;
    int size = 0;
    if (rank == 1)
        MPI_Group_size(workers, &size); //~ invalid-group
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
