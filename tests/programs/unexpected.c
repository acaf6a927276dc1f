/* Rank 0 sends 200 messages and one more, which rank 1 receives first: the 200 are unexpected then. With an argument both
   then wait for messages that nobody sends. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGES = 200 };

int main(int argc, char **argv)
{
    int rank, data = 7, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int tag = 0; tag <= MESSAGES; tag++)
            MPI_Send(&data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        if (argc > 1)
            MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, MESSAGES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (argc > 1)
            MPI_Recv(&data, 1, MPI_INT, 0, MESSAGES + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* Some calls while time passes, so that the thread that makes them can read. */
        for (int i = 0; i < 30; i++) {
            usleep(10000);
            MPI_Iprobe(0, MESSAGES + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        for (int tag = 0; tag < MESSAGES; tag++)
            MPI_Recv(&data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
