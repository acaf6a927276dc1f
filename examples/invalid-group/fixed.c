// The group of the workers may have no member.
//
// Correct: MPI_GROUP_EMPTY is a group of size 0.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_Group workers = MPI_GROUP_EMPTY;
    int size;
    MPI_Group_size(workers, &size);
    printf("%d workers\n", size);
    MPI_Finalize();
    return 0;
}
