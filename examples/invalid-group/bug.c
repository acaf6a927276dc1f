// The group of the workers is asked for before it is made.
//
// What is wrong: the group is still MPI_GROUP_NULL, which is not the same as the empty group.
// The fix: it begins as MPI_GROUP_EMPTY.
//
// ranks: 2
// expect: invalid-group

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_Group workers = MPI_GROUP_NULL;
    int size;
    MPI_Group_size(workers, &size); //~ invalid-group
    printf("%d workers\n", size);
    MPI_Finalize();
    return 0;
}
