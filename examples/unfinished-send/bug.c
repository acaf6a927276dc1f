// A master hands a task to every worker and adds up what they computed.
//
// What is wrong: all sends use the same request variable, so that only the last one is ever completed.
// The others were delivered, but their requests are lost, and nothing says when the buffers are free.
// The fix: a request of its own for each send, and one MPI_Waitall.
//
// ranks: 4
// expect: unfinished-send ranks 0

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
        MPI_Request request;
        for (int r = 1; r < size; r++) {
            tasks[r] = 10 * r;
            MPI_Isend(&tasks[r], 1, MPI_INT, r, 0, MPI_COMM_WORLD, &request); //~ unfinished-send
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
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
