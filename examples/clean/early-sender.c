// A rank that has sent its last message is long in MPI_Finalize when the message is received.
//
// Correct: a message that was sent can be received from a rank that has nothing more to do.
//
// ranks: 3

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if (rank == 0) {
        sleep(2); /* the others are in MPI_Finalize by now */
        MPI_Recv(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d and %d\n", value[0], value[1]);
    } else {
        value[0] = 10 * rank;
        MPI_Send(value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
