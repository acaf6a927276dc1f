// After the second example of the Keldysh Institute's correctness analyzer (preprint of 2006): a message
// to a rank that does not exist.
//
// What is wrong: the program counts its ranks from one in this place, and the last rank counted that way
// is beyond the end. The library raises an error and ends the job, while rank 1 waits for the message.
// The fix: the last rank is size - 1.
//
// ranks: 2
// expect: invalid-rank ranks 0

#include <mpi.h>
#include <stdio.h>

enum { COUNT = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int row[COUNT], last = size;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++)
            row[i] = i * i;
        MPI_Send(row, COUNT, MPI_INT, last, 123, MPI_COMM_WORLD); //~ invalid-rank
        printf("rank 0 has sent the row\n");
    } else {
        MPI_Recv(row, COUNT, MPI_INT, 0, 123, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d has the row, it ends with %d\n", rank, row[COUNT - 1]);
    }
    MPI_Finalize();
    return 0;
}
