// The first two ranks make a communicator of their own.
//
// What is wrong: each takes its rank for the tag, so that the two calls do not belong together: both wait.
// The fix: the same tag on both.
//
// ranks: 3
// expect: collective-argument-mismatch ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, first[2] = {0, 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank < 2) {
        MPI_Group all, two;
        MPI_Comm pair;
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_incl(all, 2, first, &two);
        MPI_Comm_create_group(MPI_COMM_WORLD, two, rank, &pair); //~ collective-argument-mismatch
        printf("rank %d has its pair\n", rank);
        MPI_Comm_free(&pair);
        MPI_Group_free(&two);
        MPI_Group_free(&all);
    }
    MPI_Finalize();
    return 0;
}
