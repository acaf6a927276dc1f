// Workers compute parts of a sum; the master collects one partial result from each worker.
//
// What is wrong: worker 3 finds that it has nothing to do, and goes straight to MPI_Finalize. The master
// waits for its result for ever.
// The fix: a worker without work sends zero.
//
// ranks: 4
// expect: real-hang-up ranks 0,3

#include <mpi.h>
#include <stdio.h>

enum { NUMBERS = 20, SHARE = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int sum = 0;
    if (rank == 0) {
        for (int r = 1; r < size; r++) {
            int part;
            MPI_Recv(&part, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ real-hang-up
            sum += part;
        }
        printf("the sum is %d\n", sum);
    } else {
        int first = (rank - 1) * SHARE, last = rank * SHARE;
        for (int n = first; n < last && n < NUMBERS; n++)
            sum += n;
        if (first < NUMBERS)
            MPI_Send(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
