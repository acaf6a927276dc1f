// Each rank gets the place where its part of a list begins, as the sum of the lengths before it; rank 0 then tells the last
// rank how long the list is.
//
// What is wrong: rank 2 waits for the message of rank 0 before it comes to the sum, rank 0 sends it after the sum. In
// MPI_Exscan rank 0 needs nobody, and the MPI library lets it go on; it may as well wait for all ranks.
// The fix: rank 2 receives the message after the sum.
//
// ranks: 3
// mpi: openmpi (in MPICH rank 0 exchanges partial sums with rank 2)
// expect: potential-deadlock ranks 0,2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, length, begin = 0, all = 60;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    length = 10 * (rank + 1);
    if (rank == 2)
        MPI_Recv(&all, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ potential-deadlock
    MPI_Exscan(&length, &begin, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); //~ potential-deadlock
    if (rank == 0)
        MPI_Send(&all, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    printf("rank %d begins at %d\n", rank, begin);
    MPI_Finalize();
    return 0;
}
