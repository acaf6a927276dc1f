// The program says goodbye with the name of the rank.
//
// What is wrong: MPI_Comm_rank is called after MPI_Finalize.
// The fix: the rank is asked for before.
//
// ranks: 2
// expect: call-outside-mpi

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Finalize();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); //~ call-outside-mpi
    printf("rank %d: goodbye\n", rank);
    return 0;
}
