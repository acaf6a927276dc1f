// A master hands a task to every worker and adds up what they computed.
//
// Fixed: each send has a request of its own, and one MPI_Waitall completes them all.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int result = 0, sum = 0;
    if (rank == 0) {
        int tasks[size];
        MPI_Request requests[size];
        for (int r = 1; r < size; r++) {
            tasks[r] = 10 * r;
            MPI_Isend(&tasks[r], 1, MPI_INT, r, 0, MPI_COMM_WORLD, &requests[r]);
        }
        MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
    } else {
        int task;
        MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        result = task * task;
    }
    MPI_Reduce(&result, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum of squares: %d\n", sum);
    MPI_Finalize();
    return 0;
}
