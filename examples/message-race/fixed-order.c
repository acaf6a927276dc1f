// The program of bug-order.c; rank 0 names the sources, one after the other.
//
// ranks: 4
// options: --check message-race

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (rank == 0) {
        float sum = 0, part;
        for (int i = 1; i < size; i++) {
            MPI_Recv(&part, 1, MPI_FLOAT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += part;
        }
        printf("the sum is about %g\n", sum);
    } else {
        float part = 1.0f / (float)rank;
        usleep(100000 * (useconds_t)rank);
        MPI_Send(&part, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
