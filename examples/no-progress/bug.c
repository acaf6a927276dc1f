// Rank 0 collects the results of the others as they come, and does something else in between.
//
// What is wrong: it wants one result from each other rank, but rank 2 has none and sends nothing: rank 0 looks for a
// message for ever (here until its alarm clock ends it).
// The fix: who has no result sends an empty message.
//
// ranks: 3
// options: --severity no-progress=error
// expect: no-progress ranks 0,1,2

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
        alarm(3);
        for (int came = 0; came < size - 1;) {
            int here;
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE); //~ no-progress
            if (here) {
                MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += result;
                came++;
            }
            usleep(1000);
        }
        printf("the sum is %d\n", sum);
    } else if (rank != 2) {
        MPI_Send(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
