// A rank asks how long a message is, and throws away what is empty.
//
// Correct: every message that is found is received.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Message message;
        MPI_Status status;
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        int numbers[16];
        if (count > 0)
            MPI_Mrecv(numbers, count, MPI_INT, &message, MPI_STATUS_IGNORE);
        else
            MPI_Mrecv(NULL, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
