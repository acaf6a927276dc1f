// The program says how many ranks there were.
//
// Correct: the number is asked for before MPI_Finalize.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    if (rank == 0)
        printf("goodbye from %d ranks\n", size);
    return 0;
}
