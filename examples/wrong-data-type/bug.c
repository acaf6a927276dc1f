// Rank 0 measures, rank 1 prints the mean.
//
// What is wrong: the measurements are sent as MPI_FLOAT and received as MPI_INT. Both have four bytes,
// so that no library complains; rank 1 adds up bit patterns.
// The fix: the same type on both sides.
//
// ranks: 2
// expect: wrong-data-type ranks 0,1

#include <mpi.h>
#include <stdio.h>

enum { COUNT = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        float measured[COUNT] = {20.5f, 21.0f, 21.5f, 22.0f, 22.5f};
        MPI_Send(measured, COUNT, MPI_FLOAT, 1, 7, MPI_COMM_WORLD); //~ wrong-data-type
    } else {
        int measured[COUNT];
        MPI_Recv(measured, COUNT, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ wrong-data-type
        double sum = 0;
        for (int i = 0; i < COUNT; i++)
            sum += measured[i];
        printf("mean: %.1f\n", sum / COUNT);
    }
    MPI_Finalize();
    return 0;
}
