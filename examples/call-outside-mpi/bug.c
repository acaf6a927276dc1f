// The program says how many ranks there were.
//
// What is wrong: MPI_Comm_size is called after MPI_Finalize.
// The fix: the number is asked for before.
//
// ranks: 2
// expect: call-outside-mpi ranks 0

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0)
        MPI_Comm_size(MPI_COMM_WORLD, &size); //~ call-outside-mpi
    if (rank == 0)
        printf("goodbye from %d ranks\n", size);
    return 0;
}
