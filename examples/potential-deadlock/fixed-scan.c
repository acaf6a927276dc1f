// Each rank gets the place where its part of a list begins, as the sum of the lengths before it; rank 0 then tells the last
// rank how long the list is.
//
// Fixed: rank 2 receives the message after the sum.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, length, begin = 0, all = 60;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    length = 10 * (rank + 1);
    MPI_Exscan(&length, &begin, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&all, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(&all, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d begins at %d\n", rank, begin);
    MPI_Finalize();
    return 0;
}
