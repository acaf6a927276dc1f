// The program says goodbye with the name of the rank.
//
// Correct: the rank is asked for before MPI_Finalize.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    printf("rank %d: goodbye\n", rank);
    return 0;
}
