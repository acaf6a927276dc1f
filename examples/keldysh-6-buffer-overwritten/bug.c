// After test12 of the Keldysh Institute's correctness analyzer (preprint of 2006): a send buffer is
// overwritten before the send is complete.
//
// What is wrong: between MPI_Isend and MPI_Wait the buffer belongs to the library, but rank 0 already
// writes the next row into it. Short messages are buffered and arrive intact; of a long one, rank 1 may
// get the new row.
// The fix: write after the wait.
//
// ranks: 2
// expect: send-checksum ranks 0

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
        MPI_Isend(row, COUNT, MPI_INT, 1, 123, MPI_COMM_WORLD, &request); //~ send-checksum
        fill(2);
        MPI_Wait(&request, MPI_STATUS_IGNORE); //~ send-checksum
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
