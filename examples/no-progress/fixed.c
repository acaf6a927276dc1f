// Rank 0 collects the results of the others as they come, and does something else in between.
//
// Fixed: who has no result sends an empty message.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, result = 1, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int came = 0; came < size - 1;) {
            int here;
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
            if (here) {
                MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += result;
                came++;
            }
            usleep(1000);
        }
        printf("the sum is %d\n", sum);
    } else {
        MPI_Send(&result, rank != 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
