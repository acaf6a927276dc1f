// A rank asks how long a message is, and throws away what is empty.
//
// What is wrong: an empty message that MPI_Mprobe has found is a message all the same, and it is never received.
// The fix: receive it into nothing.
//
// ranks: 2
// expect: leak-message ranks 1

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
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status); //~ leak-message
        MPI_Get_count(&status, MPI_INT, &count);
        int numbers[16];
        if (count > 0)
            MPI_Mrecv(numbers, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
