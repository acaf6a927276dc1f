// After test12 of the Keldysh Institute's correctness analyzer (preprint of 2006): a send buffer is
// overwritten before the send is complete.
//
// Fixed: rank 0 writes the next row after the wait.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

enum { COUNT = 100000 };

static int row[COUNT];

static void fill(int value)
{
    for (int i = 0; i < COUNT; i++)
        row[i] = value;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        MPI_Request request;
        fill(1);
        MPI_Isend(row, COUNT, MPI_INT, 1, 123, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        fill(2);
    } else {
        MPI_Recv(row, COUNT, MPI_INT, 0, 123, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int wrong = 0;
        for (int i = 0; i < COUNT; i++)
            wrong += row[i] != 1;
        printf("%d numbers of %d are wrong\n", wrong, COUNT);
    }
    MPI_Finalize();
    return 0;
}
