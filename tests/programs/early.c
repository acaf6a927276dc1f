/* Asks for its rank before MPI_Init, which most libraries end the program over.

   The line number of the call is that of the tests. */
#include <mpi.h>
#include <stdio.h>

static int number(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* too early */
    return rank;
}

int main(int argc, char **argv)
{
    printf("rank %d\n", number());
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
