// One rank polls for two seconds, with MPI_Test and MPI_Iprobe, for messages that come late.
//
// Correct: polling is not waiting, and hundreds of thousands of calls without success are no error.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, first = 0, second = 0, flag;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        MPI_Request request;
        long polls = 0;
        MPI_Irecv(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (flag = 0; !flag; polls++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag; polls++)
            MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d and %d, polled more than a hundred times: %d\n", first, second, polls > 100);
    } else {
        first = 11;
        second = 22;
        sleep(1);
        MPI_Send(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        sleep(1);
        MPI_Send(&second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
