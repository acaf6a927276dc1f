// Four ranks as a grid of two rows and two columns: a row adds up its part while a message goes across.
//
// What is wrong: rank 0 sends to rank 1 before the reduction of their row, rank 1 receives after it. MPI_Send may wait for
// the receive, and the reduction waits for both. The other row does it in the right order, and has no part in this.
// The fix: the message is received before the reduction.
//
// ranks: 4
// expect: potential-deadlock ranks 0,1

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in_row, seed = 0, sum;
    MPI_Comm row;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_rank(row, &in_row);

    int part = rank + 1, late = rank / 2 == 0;
    if (in_row == 0) {
        seed = 42;
        MPI_Send(&seed, 1, MPI_INT, 1, 0, row); //~ potential-deadlock
    } else if (!late) {
        MPI_Recv(&seed, 1, MPI_INT, 0, 0, row, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&part, &sum, 1, MPI_INT, MPI_SUM, row); //~ potential-deadlock
    if (in_row == 1 && late)
        MPI_Recv(&seed, 1, MPI_INT, 0, 0, row, MPI_STATUS_IGNORE);

    if (rank == 1)
        printf("sum %d, seed %d\n", sum, seed);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
